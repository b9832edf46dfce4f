"""SSM's parameters: public ones of EKS, Bottlerocket and Windows, and what tests put."""

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action


@action("ssm", "GetParameter")
def get_parameter(context, Name, WithDecryption=False):
    parameters = context.region.parameters
    if Name not in parameters:
        raise Fault("ParameterNotFound")
    return {"Parameter": {"Name": Name, "Type": "String", "Value": parameters[Name], "Version": 1,
                          "LastModifiedDate": context.fake.began, "DataType": "text",
                          "ARN": f"arn:aws:ssm:{context.region.name}::parameter{Name}"}}
