#!/usr/bin/env python3
"""Runs the corpus of plans in JMeter itself, and writes the requests and samples that it must have.

usage: corpus.py JMETER FILE…     JMETER is a folder as trial_jmeter.sh makes it, FILE one of crates/bench/tests/jmeter
       corpus.py --jmx FILE FOLDER   only writes the plans

crates/bench/src/jmeter/tests reads the same files; the notation and the paths of the server are described there.
"""
import html, http.server, os, re, socketserver, subprocess, sys, tempfile, threading, time, urllib.parse

PREFIXES = {
    "HTTPSamplerProxy": "HTTPSampler.", "ConfigTestElement": "HTTPSampler.", "ThreadGroup": "ThreadGroup.",
    "SetupThreadGroup": "ThreadGroup.", "PostThreadGroup": "ThreadGroup.", "TestPlan": "TestPlan.",
    "TestAction": "ActionProcessor.", "GaussianRandomTimer": "RandomTimer.", "UniformRandomTimer": "RandomTimer.",
    "PoissonRandomTimer": "RandomTimer.", "InterleaveControl": "InterleaveControl.", "RandomController": "InterleaveControl.",
    "ResponseAssertion": "Assertion.", "JSONPostProcessor": "JSONPostProcessor.", "JSONPathAssertion": "",
}
RICH = """<!DOCTYPE html><html><head><title>A  rich
 page</title><style>p { color: red }</style></head><body><p id=one class="Big red">Hello <b>bold</b>world&nbsp; !</p><p>second<br>line<div>third<span>in</span></div>tail
 <a HREF="/a?1" rel="Next">one</a><a href="/b">two</a><a name=c>three</a>
 <form><input name=csrf value="v1"><input type=HIDDEN name=csrf2 value=" v2 "></form>
 <ul><li>1</li><li>2<li>3</ul><table><tr><td>x<td>y</table><pre>  kept   as
 it is</pre><script>var a = 1;</script><x-y>own</x-y> end</body></html>"""
LISTS = ("var", "header", "text", "name", "user", "auth", "cookie")
PLAIN = {"CSVDataSet", "CacheManager", "RandomVariableConfig", "ConstantThroughputTimer", "JSR223PostProcessor", "JSR223PreProcessor",
         "SyncTimer", "JMESPathAssertion", "XPathAssertion"}
# Settings apply to samplers by the class of their panel.
GUIS = {"ConfigTestElement": "HttpDefaultsGui", "CookieManager": "CookiePanel", "HeaderManager": "HeaderPanel", "AuthManager": "AuthPanel"}


def prefix(tag):
    if tag in PLAIN:
        return ""
    return PREFIXES.get(tag, tag + ".")


def prop(name, value):
    return f'<stringProp name="{html.escape(name)}">{html.escape(value, quote=False)}</stringProp>'


def pair(text):
    name, _, value = text.partition("=")
    return name, value


def argument(text, encode, of="HTTPArgument"):
    name, value = pair(text)
    extra = f'<boolProp name="HTTPArgument.always_encode">{encode}</boolProp><boolProp name="HTTPArgument.use_equals">true</boolProp>' if of == "HTTPArgument" else ""
    return f'<elementProp name="{html.escape(name)}" elementType="{of}">{extra}{prop("Argument.name", name)}{prop("Argument.value", value)}{prop("Argument.metadata", "=")}</elementProp>'


def opening(line):
    """An element of one line of the notation, without what is below it."""
    head, *parts = [part.strip() for part in re.split(r" \| ?", line.strip() + " ")]
    tag, _, name = head.partition(" ")
    name = name.strip()
    enabled = ""
    texts, args, lists = [], [], {}
    loops = "1"
    for part in parts:
        if not part:
            continue
        key, _, value = part.partition(":")
        value = value.strip().replace("\\n", "\n")
        if key == "enabled":
            enabled = f' enabled="{value}"'
        elif key in ("arg", "raw"):
            args.append(argument(value, "true" if key == "arg" else "false"))
        elif key == "bare":
            args.append(argument(value, "true").replace(">=<", "><"))
        elif key == "body":
            texts.append('<boolProp name="HTTPSampler.postBodyRaw">true</boolProp>')
            args.append(f'<elementProp name="" elementType="HTTPArgument"><boolProp name="HTTPArgument.always_encode">false</boolProp>{prop("Argument.value", value)}{prop("Argument.metadata", "=")}</elementProp>')
        elif key == "module":
            path = "".join(prop(str(at), one) for at, one in enumerate(["Test Plan", *value.split("/")]))
            texts.append(f'<collectionProp name="ModuleController.node_path">{path}</collectionProp>')
        elif key in LISTS and (key not in ("name", "user") or tag == "UserParameters"):
            lists.setdefault(key, []).append(value)
        elif key == "loops":
            loops = value
            if tag == "LoopController":
                texts.append(prop("LoopController.loops", value))
        elif key == "threads":
            texts.append(prop("ThreadGroup.num_threads", value))
        else:
            texts.append(prop(key if "." in key else prefix(tag) + key, value))
    if tag.endswith("ThreadGroup"):
        if not any("num_threads" in text for text in texts):
            texts.append(prop("ThreadGroup.num_threads", "1"))
        if not any("ramp_time" in text for text in texts):
            texts.append(prop("ThreadGroup.ramp_time", "0"))
        texts.append(f'<elementProp name="ThreadGroup.main_controller" elementType="LoopController">{prop("LoopController.loops", loops)}<boolProp name="LoopController.continue_forever">false</boolProp></elementProp>')
    if tag in ("HTTPSamplerProxy", "ConfigTestElement"):
        if tag == "HTTPSamplerProxy" and not any("HTTPSampler.method" in text for text in texts):
            texts.append(prop("HTTPSampler.method", "GET"))
        if tag == "HTTPSamplerProxy" and not any("use_keepalive" in text for text in texts):
            texts.append(prop("HTTPSampler.use_keepalive", "true"))
        texts.append(f'<elementProp name="HTTPsampler.Arguments" elementType="Arguments"><collectionProp name="Arguments.arguments">{"".join(args)}</collectionProp></elementProp>')
    if "var" in lists:
        each = "".join(argument(one, "", "Argument") for one in lists["var"])
        each = f'<collectionProp name="Arguments.arguments">{each}</collectionProp>'
        texts.append(f'<elementProp name="TestPlan.user_defined_variables" elementType="Arguments">{each}</elementProp>' if tag == "TestPlan" else each)
    if "header" in lists:
        each = "".join(f'<elementProp name="" elementType="Header">{prop("Header.name", pair(one)[0])}{prop("Header.value", pair(one)[1])}</elementProp>' for one in lists["header"])
        texts.append(f'<collectionProp name="HeaderManager.headers">{each}</collectionProp>')
    if "text" in lists:
        texts.append('<collectionProp name="Asserion.test_strings">' + "".join(prop(str(at), one) for at, one in enumerate(lists["text"])) + "</collectionProp>")
    if "name" in lists:
        texts.append('<collectionProp name="UserParameters.names">' + "".join(prop(str(at), one) for at, one in enumerate(lists["name"])) + "</collectionProp>")
        users = "".join(f'<collectionProp name="{at}">' + "".join(prop(str(i), v) for i, v in enumerate(one.split(","))) + "</collectionProp>" for at, one in enumerate(lists.get("user", [])))
        texts.append(f'<collectionProp name="UserParameters.thread_values">{users}</collectionProp>')
    if "auth" in lists:
        each = ""
        for one in lists["auth"]:
            url, user, password = one.split(",")
            each += f'<elementProp name="" elementType="Authorization">{prop("Authorization.url", url)}{prop("Authorization.username", user)}{prop("Authorization.password", password)}{prop("Authorization.domain", "")}{prop("Authorization.realm", "")}<stringProp name="Authorization.mechanism">BASIC</stringProp></elementProp>'
        texts.append(f'<collectionProp name="AuthManager.auth_list">{each}</collectionProp>')
    if tag == "CookieManager":
        each = ""
        for one in lists.get("cookie", []):
            name_, value, domain, path = one.split(",")
            each += f'<elementProp name="{name_}" elementType="Cookie" testname="{name_}">{prop("Cookie.value", value)}{prop("Cookie.domain", domain)}{prop("Cookie.path", path)}<boolProp name="Cookie.secure">false</boolProp><longProp name="Cookie.expires">0</longProp><boolProp name="Cookie.path_specified">true</boolProp><boolProp name="Cookie.domain_specified">true</boolProp></elementProp>'
        texts.append(f'<collectionProp name="CookieManager.cookies">{each}</collectionProp>')
    gui = GUIS.get(tag, f"{tag}Gui")
    return f'<{tag} guiclass="{gui}" testclass="{tag}" testname="{html.escape(name)}"{enabled}>{"".join(texts)}</{tag}>'


def tree(lines, depth=0):
    out, at = "", 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and lines[end].startswith("  " * (depth + 1)):
            end += 1
        out += opening(lines[at]) + "<hashTree>" + tree(lines[at + 1:end], depth + 1) + "</hashTree>\n"
        at = end
    return out


def jmx(lines):
    plan = [line for line in lines if line.startswith("TestPlan")]
    plan = opening(plan[0] if plan else "TestPlan P")
    rest = [line for line in lines if not line.startswith("TestPlan")]
    defaults = opening("ConfigTestElement server | domain: 127.0.0.1 | port: ${__P(port)}")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>{plan}<hashTree>{defaults}<hashTree/>\n{tree(rest)}</hashTree></hashTree></jmeterTestPlan>\n'


def cases(text):
    """The cases of a file: name, lines of the plan, files."""
    for part in re.split(r"(?m)^## ", text)[1:]:
        title, *lines = part.split("\n")
        name = title.split(":")[0].strip()
        plan = [line for line in lines if line.strip() and line[0] not in ">=!~#@"]
        files = [line[1:].strip().partition(": ") for line in lines if line.startswith("@")]
        yield name, title, plan, {name: text.replace("\\n", "\n").replace("\\t", "\t") for name, _, text in files}, lines


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen, plan = {}, ""
    lock = threading.Lock()

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode("utf8", "replace")
        path = urllib.parse.urlsplit(self.path)
        if path.path.startswith("/plan/"):
            Server.plan = path.path[6:]
            Server.seen[Server.plan] = []
        else:
            line = f"{self.command} {self.path}" + (f" body={body}" if body else "")
            for name in ("X-Token", "Authorization"):
                if self.headers.get(name):
                    line += f" {name}={self.headers[name]}"
            with Server.lock:
                Server.seen[Server.plan].append(line)
        status, extra, kind = 200, [], "application/json"
        content = '{"id":7,"name":"seven","list":[1,2,3]}'
        name = path.path.strip("/").split("/")[0]
        query = urllib.parse.parse_qs(path.query)
        if re.fullmatch(r"[45]\d\d", name):
            status, content = int(name), '{"error":1}'
        elif name == "html":
            kind, content = "text/html", '<html><head><title>Page</title></head><body>csrf: <input name="csrf" value="v1"><a class="x" href="/a?1">one</a><a class="x" href="/b">two</a></body></html>'
        elif name == "rich":
            kind, content = "text/html", RICH
        elif name == "xml":
            kind, content = "text/xml", '<order id="5"><line n="1">one</line><line n="2">two</line></order>'
        elif name == "page":
            content = '{"items":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"count":2,"none":null,"big":12.50,"t":true}'
        elif name == "cookie":
            extra = [("Set-Cookie", "sid=abc; Path=/"), ("Set-Cookie", "t=1")]
        elif name == "needcookie":
            if "sid=abc" not in (self.headers.get("Cookie") or ""):
                status, content = 401, "{}"
        elif name == "echocookie":
            content = self.headers.get("Cookie") or "none"
        elif name == "redirect":
            status, extra = 302, [("Location", "/ok")]
        elif name == "loop":
            status, extra = 302, [("Location", "/loop")]
        elif name == "move":
            status, extra = int(path.path.split("/")[2]), [("Location", "/ok")]
        elif name == "fresh":
            extra = [("Cache-Control", "max-age=60")]
        elif name == "etag":
            extra = [("ETag", '"1"')]
            if self.headers.get("If-None-Match") == '"1"':
                status, content = 304, ""
        elif name == "delay":
            time.sleep(float(query.get("ms", ["30"])[0]) / 1000)
        content = content.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if status != 304:
            self.send_header("Content-Length", str(len(content)))
        for field in extra:
            self.send_header(*field)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            pass

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = answer

    def log_message(self, *_):
        pass


class Threaded(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def main():
    if sys.argv[1] == "--jmx":
        for name, _, plan, files, _ in cases(open(sys.argv[2]).read()):
            open(f"{sys.argv[3]}/{name}.jmx", "w").write(jmx(plan))
        return
    home, paths = os.path.abspath(sys.argv[1]), sys.argv[2:]
    server = Threaded(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    with tempfile.TemporaryDirectory() as folder:
        plans = []
        for path in paths:
            for name, _, plan, files, _ in cases(open(path).read()):
                for file, text in files.items():
                    open(f"{folder}/{file}", "w", encoding="utf8").write(text)
                plans.append(f"{folder}/{name}.jmx")
                open(plans[-1], "w").write(jmx(plan))
        classes = ":".join([f"{home}/lib/*", f"{home}/lib/ext/*", f"{home}/bin/ApacheJMeter.jar"])
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Corpus.java")
        run = subprocess.run(["java", "-Djava.awt.headless=true", f"-Djava.util.prefs.userRoot={folder}", "-Duser.timezone=UTC", "-cp", classes, source, home, str(port), *plans], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        for path in paths:
            out = []
            text = open(path).read()
            out.append(text[:text.index("## ")])
            for name, title, plan, files, lines in cases(text):
                keep = [line for line in lines if line.strip() and line[0] not in ">="]
                requests = Server.seen.get(f"{name}.jmx", [])
                samples = [line.rstrip("\n").split("\t") for line in open(f"{folder}/{name}.jtl", encoding="utf8")]
                rows = [f"= {one[0]} {one[1] or '-'} {one[2]}" if len(one) == 3 else "= " + one[0] for one in samples]
                if any(line.startswith("~") for line in lines):
                    requests, rows = sorted(requests), sorted(rows)
                out.append("\n".join([f"## {title}", *keep, *(f"> {one}" for one in requests), *rows]) + "\n\n")
            open(path, "w").write("".join(out))


main()
