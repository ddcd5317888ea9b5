"""Prints the digest of the rulesets that a writer keeps on its broker, as `sync.digest` of /health shows it.

    python3 sync_reader.py 127.0.0.1 4222

The protocol of NATS by hand, so that nothing needs to be installed. Packed states (zstd) need Python 3.14.
"""
import hashlib
import json
import socket
import sys
import uuid

STREAM, PREFIX = "KV_engine-rules-state", "$KV.engine-rules-state.engine.rules."
# Of this run: what an earlier one asked for is still delivered for some seconds.
INBOX = f"_INBOX.{uuid.uuid4().hex}"
ZSTD = b"\x28\xb5\x2f\xfd"


def states(host, port):
    """Every entry of the bucket: its key and its bytes."""
    connection = socket.create_connection((host, port), timeout=10).makefile("rwb")
    consumer = {"deliver_subject": INBOX, "deliver_policy": "last_per_subject", "ack_policy": "none",
                "filter_subject": PREFIX + ">"}
    request = json.dumps({"stream_name": STREAM, "config": consumer}).encode()
    send = lambda *lines: (connection.write(b"".join(line + b"\r\n" for line in lines)), connection.flush())
    send(b'CONNECT {"verbose":false,"headers":true}', b"SUB %s 1" % INBOX.encode(), b"SUB answer 2",
         b"PUB $JS.API.CONSUMER.CREATE.%s answer %d" % (STREAM.encode(), len(request)), request)
    left = None
    while left != 0:
        verb, *words = connection.readline().decode().split()
        if verb == "PING":
            send(b"PONG")
        if verb not in ("MSG", "HMSG"):
            continue
        header, whole = (int(words[-2]), int(words[-1])) if verb == "HMSG" else (0, int(words[-1]))
        head, body = connection.read(header), connection.read(whole - header)
        connection.read(2)
        if words[0] == "answer":
            assert b'"error"' not in body, body
            continue
        # $JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<consumer sequence>.<time>.<still to come>
        left = int(words[2].split(".")[-1])
        if b"KV-Operation" not in head:
            yield words[0].removeprefix(PREFIX), body


def unpacked(body):
    if not body.startswith(ZSTD):
        return body
    from compression import zstd
    return zstd.decompress(body)


def digest(entries):
    """The exclusive or of a SHA-256 of each ruleset: `<tenant> NUL <name> NUL <text of the ruleset>`, in UTF-8."""
    total = 0
    for key, body in entries:
        event = json.loads(unpacked(body)).get("event", {})
        if key not in ("head", "lease") and event.get("type") == "RulePut":
            text = "\0".join((event["tenant_id"], event["name"], event["ruleset_json"]))
            total ^= int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    return f"{total:064x}"


print(digest(states(sys.argv[1], int(sys.argv[2]))))
