#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Python's http.client: `http_client.py HOST:PORT [cut]` prints what a few requests on one
connection give, or how a stream ends that the replica cuts."""
import http.client
import json
import sys

headers = {"Content-Type": "application/json", "X-Session-Id": "python"}
hello = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}
connection = http.client.HTTPConnection(sys.argv[1], timeout=60)


def ask(method, path, body=None):
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer


def text_of(answer):
    return json.loads(answer.read())["choices"][0]["message"]["content"]


def pieces(answer):
    events = []
    while line := answer.readline():
        if line.startswith(b"data: {"):
            events.append(json.loads(line[6:])["choices"][0]["delta"].get("content"))
    return events


chat = "/v1/chat/completions"
if sys.argv[2:] == ["cut"]:
    status, answer = ask("POST", chat, json.dumps(hello | {"stream": True}))
    try:
        print(status, "to its end:", answer.read())
    except http.client.HTTPException as failed:
        print(type(failed).__name__, "behind", failed.partial.count(b"data: "), "pieces")
    sys.exit()

status, answer = ask("POST", chat, json.dumps(hello))
print("whole", status, text_of(answer))
socket = connection.sock

# A body that is an iterable goes out chunked.
status, answer = ask("POST", chat, (part.encode() for part in json.JSONEncoder().iterencode(hello)))
print("chunked upload", status, text_of(answer))

status, answer = ask("POST", chat, json.dumps(hello | {"stream": True}))
print("stream", status, pieces(answer))

status, answer = ask("POST", chat, "no json")
print("no json", status, json.loads(answer.read())["error"]["code"])

status, answer = ask("GET", "/v1/models")
print("models", status, json.loads(answer.read())["data"][0]["id"])

# Zero bytes, but a body all the same.
status, answer = ask("POST", chat, "")
print("empty", status, json.loads(answer.read())["error"]["code"])
print("one connection", connection.sock is socket)
