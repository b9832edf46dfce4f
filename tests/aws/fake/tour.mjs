// Sends EC2 calls with the AWS SDK for JavaScript: [[operation, parameters]] on stdin, replies as JSON on stdout.
// A step {"control": [method, arguments]} is told to the fake before the call that follows.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const sdk = require("@aws-sdk/client-ec2");
const [url, accessKeyId, secretAccessKey] = process.argv.slice(2);
const client = new sdk.EC2Client({
  endpoint: url, region: "us-east-1", maxAttempts: 1, credentials: { accessKeyId, secretAccessKey },
});

let text = "";
for await (const part of process.stdin) text += part;
const replies = [];
for (const [operation, params] of JSON.parse(text)) {
  if (operation === "control") {
    await fetch(`${url}/_fake/${params[0]}`, { method: "POST", body: JSON.stringify(params[1]) });
    continue;
  }
  try {
    const { $metadata, ...reply } = await client.send(new sdk[`${operation}Command`](params));
    replies.push(reply);
  } catch (error) {
    if (!error.$metadata) throw error;
    replies.push({ refused: error.name });
  }
}
// Dates are marked before JSON.stringify makes texts of them.
Date.prototype.toJSON = () => "a time";
process.stdout.write(JSON.stringify(replies));
