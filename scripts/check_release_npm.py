"""A registry for npm that has the packages of one folder and nothing else."""

import base64
import hashlib
import io
import json
import pathlib
import sys
import tarfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

packages = {}
for path in pathlib.Path(sys.argv[1]).glob("*.tgz"):
    data = path.read_bytes()
    about = json.load(tarfile.open(fileobj=io.BytesIO(data)).extractfile("package/package.json"))
    packages[about["name"]] = (path.name, data, about)


class Registry(BaseHTTPRequestHandler):
    def do_GET(self):
        path = unquote(self.path).lstrip("/")
        for name, (file, data, about) in packages.items():
            if path == f"tarballs/{file}":
                return self.answer(data)
            if path == name:
                integrity = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
                dist = {"tarball": f"{address}/tarballs/{file}", "integrity": integrity}
                version = about["version"]
                entry = {"name": name, "dist-tags": {"latest": version}, "versions": {version: {**about, "dist": dist}}}
                return self.answer(json.dumps(entry).encode())
        self.send_error(404)

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
address = f"http://127.0.0.1:{server.server_port}"
print(address, flush=True)
server.serve_forever()
