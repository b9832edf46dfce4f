"""Keys and certificates of one cluster, made by openssl: an authority, the API server's, one for each client."""

import subprocess
from pathlib import Path

LIFE_DAYS = 30


class Authority:
    """A certificate authority; NAME.crt and NAME.key of all its certificates are in `folder`."""

    def __init__(self, folder, name="ca"):
        self.folder = Path(folder)
        self.name = name
        self.folder.mkdir(parents=True, exist_ok=True)
        # Without the system's configuration, whose extensions would be added a second time.
        (self.folder / "openssl.cnf").write_text("[req]\ndistinguished_name = none\n[none]\n", encoding="ascii")
        self.make(name, f"/CN=tenon test {name}",
                  ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"])

    def certificate(self, name):
        return self.folder / f"{name}.crt"

    def key(self, name):
        return self.folder / f"{name}.key"

    def issue_server(self, name, addresses=("DNS:localhost", "IP:127.0.0.1")):
        """A certificate for a server on loopback."""
        self.issue(name, f"/CN={name}", f"subjectAltName={','.join(addresses)}", "extendedKeyUsage=serverAuth")

    def issue_client(self, name, user, group=None):
        """A certificate that the API server takes for `user`, member of `group`."""
        self.issue(name, f"/O={group}/CN={user}" if group else f"/CN={user}", "extendedKeyUsage=clientAuth")

    def issue(self, name, subject, *extensions):
        self.make(name, subject, ["basicConstraints=critical,CA:FALSE", *extensions],
                  "-CA", self.certificate(self.name), "-CAkey", self.key(self.name))

    def make(self, name, subject, extensions, *signer):
        added = [word for extension in extensions for word in ("-addext", extension)]
        openssl("req", "-x509", "-config", self.folder / "openssl.cnf", "-newkey", "ec",
                "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", self.key(name),
                "-out", self.certificate(name), "-subj", subject, "-days", LIFE_DAYS, *added, *signer)


def make_signing_key(private, public):
    """Makes the key pair that signs and verifies service account tokens."""
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private)
    openssl("ec", "-in", private, "-pubout", "-out", public)


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {' '.join(map(str, arguments))}\n{done.stderr}")
