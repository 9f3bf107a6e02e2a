# SPDX-License-Identifier: MIT
"""What `promtool check metrics` says of a router's metrics, and whether a real Prometheus, with
docs/prometheus/alerts.yml loaded, scrapes them and knows each series that the alerts and the
dashboard ask for. Called by tests/prometheus/run."""

import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROUTER, STUB = sys.argv[1:3]
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
TOKEN = "scrape-token"
PATIENCE = 60
NAME = re.compile(r"\b(?:pypto_router|process)_[a-z_]+")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetch(url, fields=None, body=None):
    request = urllib.request.Request(url, data=body, headers=fields or {})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode(), answer.headers["Content-Type"]


def wait_for(what, condition):
    over = time.monotonic() + PATIENCE
    while time.monotonic() < over:
        try:
            if condition():
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.1)
    sys.exit(f"prometheus: {what}: not within {PATIENCE} s")


def check(truth, what):
    if not truth:
        sys.exit(f"prometheus: {what}")


def fleet_file(folder, launched):
    file = folder / "fleet.json"
    file.write_text(json.dumps({"hosts": [{
        "name": "n", "devices": [0, 1], "model": "m", "port_base": launched,
        "serve_command": [STUB, "--name", "n", "--port", "{port}", "--token-delay-ms", "2"],
        "log_dir": str(folder)}]}))
    return file


def configuration(folder, router):
    (folder / "token").write_text(TOKEN)
    file = folder / "prometheus.yml"
    file.write_text(json.dumps({  # JSON is YAML
        "global": {"scrape_interval": "500ms", "evaluation_interval": "500ms"},
        "rule_files": [str(DOCS / "prometheus/alerts.yml")],
        "scrape_configs": [{
            "job_name": "pypto-serving-router",
            "authorization": {"credentials_file": str(folder / "token")},
            "static_configs": [{"targets": [f"127.0.0.1:{router}"]}]}]}))
    return file


def lint(text):
    """promtool says nothing where nothing is wrong."""
    ran = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                         capture_output=True, timeout=PATIENCE)
    check(ran.returncode == 0 and not ran.stdout + ran.stderr,
          f"promtool check metrics: {ran.stdout}{ran.stderr}")


def take_turns(router):
    for stream in (False, True, False):
        body = json.dumps({"model": "m", "stream": stream, "max_tokens": 5,
                           "messages": [{"role": "user", "content": "hello"}]}).encode()
        fetch(f"http://127.0.0.1:{router}/v1/chat/completions",
              {"Content-Type": "application/json", "X-Session-Id": "s"}, body)


class Prometheus:
    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}/api/v1/"

    def ask(self, path, **query):
        try:
            text, _ = fetch(self.url + path + "?" + urllib.parse.urlencode(query))
        except urllib.error.HTTPError as refused:
            sys.exit(f"prometheus: {path} {query}: {refused.read().decode()}")
        return json.loads(text)["data"]

    def value(self, expression):
        found = self.ask("query", query=expression)["result"]
        return float(found[0]["value"][1]) if found else None


def alert_expressions(server):
    return [(rule["name"], rule["query"], rule.get("health"), rule.get("lastError"))
            for group in server.ask("rules")["groups"] for rule in group["rules"]]


def dashboard_expressions():
    board = json.loads((DOCS / "grafana/fleet.json").read_text())
    panels = [inner for panel in board["panels"] for inner in [panel, *panel.get("panels", [])]]
    found = [(panel["title"], target["expr"]) for panel in panels
             for target in panel.get("targets", [])]
    for variable in board["templating"]["list"]:
        asked = re.fullmatch(r"label_values\((.*), *[a-z]+\)", variable["query"])
        if asked:
            found.append((variable["name"], asked[1]))
    return [(title, expression.replace("$__rate_interval", "1m").replace("$replica", ".*")
             .replace("$job", ".*").replace("$instance", ".*")) for title, expression in found]


def judge(server):
    known = set(server.ask("label/__name__/values"))
    alerts = alert_expressions(server)
    check(len(alerts) >= 8, f"only {len(alerts)} alerts are loaded")
    for name, _, health, error in alerts:
        check(health == "ok", f"alert {name}: {health} {error}")
    boards = dashboard_expressions()
    check(len(boards) >= 15, f"only {len(boards)} expressions in the dashboard")
    for where, expression in boards + [alert[:2] for alert in alerts]:
        check("$" not in expression, f"{where}: a variable is left in {expression}")
        server.ask("query", query=expression)
        names = NAME.findall(expression)
        check(names, f"{where}: no series of the router in {expression}")
        for name in names:
            check(name in known, f"{where}: there is no series {name}")
    return len(boards) + len(alerts)


def scrape(folder, children):
    router, launched, port = free_port(), free_port(), free_port()
    children.append(subprocess.Popen(
        [ROUTER, "--replicas", fleet_file(folder, launched), "--host", "127.0.0.1", "--port",
         str(router), "--threads", "2", "--health-interval", "0.2", "--admin-token", TOKEN],
        stderr=(folder / "router.log").open("w")))
    metrics = f"http://127.0.0.1:{router}/metrics"
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    wait_for("a launched replica", lambda: 'replica_phase{replica="n-d0",phase="ready"} 1'
             in fetch(metrics, bearer)[0])
    lint(fetch(metrics, bearer)[0])
    take_turns(router)
    lint(fetch(metrics, bearer)[0])

    children.append(subprocess.Popen(
        ["prometheus", f"--config.file={configuration(folder, router)}",
         f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"],
        stderr=(folder / "prometheus.log").open("w")))
    wait_for("Prometheus", lambda: fetch(f"http://127.0.0.1:{port}/-/ready"))
    server = Prometheus(port)
    wait_for("a scrape", lambda: server.value("up") == 1)
    turns = 'pypto_router_turns_total{route="chat_completions",code="2xx",replica="n-d0"}'
    wait_for("the turns", lambda: server.value(turns) == 3)
    check(server.value("pypto_router_affinity_total{outcome='hit'}") == 2, "no affinity hits")
    check(server.value("sum(pypto_router_piece_gap_seconds_count)") >= 1, "no gaps")
    check(server.value("pypto_router_launches_total{outcome='ready'}") == 1, "no launch")
    wait_for("the alerts", lambda: all(a[2] == "ok" for a in alert_expressions(server)))
    targets = server.ask("targets")["activeTargets"]
    check(all(not target["lastError"] for target in targets), f"scrape errors: {targets}")
    print(f"prometheus: {judge(server)} expressions, each with its series")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder, children = pathlib.Path(name), []
        try:
            scrape(folder, children)
        except SystemExit:
            for log in folder.glob("*.log"):
                print(f"--- {log.name}\n{log.read_text()[-3000:]}", file=sys.stderr)
            raise
        finally:
            for child in reversed(children):
                child.terminate()
            for child in children:
                child.wait(PATIENCE)


main()
