"""The agent of trial_agents.sh."""

import asyncio
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import time

from mcp import Client, StdioServerParameters

TOOLS_TOKENS = 3_000
ANSWER_TOKENS = 8_000


def tables(name, count):
    """A database with so many tables, one of them with long rows."""
    with contextlib.closing(sqlite3.connect(name)) as database, database:
        for number in range(count - 1):
            database.execute(f"CREATE TABLE a_table_of_many_{number:04} (id INTEGER PRIMARY KEY, name TEXT, at TEXT)")
        database.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        database.executemany("INSERT INTO note VALUES (?, ?)", [(id, "x" * 5_000) for id in range(1, 101)])


def tokens(text):
    return len(text.encode()) // 4


async def called(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    assert tokens(text) <= ANSWER_TOKENS, (tool, tokens(text))
    assert json.loads(text) == result.structured_content
    assert not result.is_error, text
    return result.structured_content


async def conversation(client, count):
    """What an agent does, and the sizes of what it reads."""
    listed = await client.list_tools()
    tools = tokens(json.dumps([tool.model_dump(exclude_none=True, by_alias=True) for tool in listed.tools]))
    assert tools < TOOLS_TOKENS, tools
    assert {tool.name for tool in listed.tools} >= {"list", "describe", "query", "get", "explain", "write"}
    page, seen = await called(client, "list"), 0
    largest = tokens(json.dumps(page))
    while True:
        seen += len(page["resources"])
        if "next" not in page:
            break
        page = await called(client, "list", after=page["next"])
    assert seen == count, (seen, count)
    note = {"resource": "/api/main/note"}
    assert (await called(client, "describe", **note))["key"] == ["id"]
    rows = await called(client, "query", **note)
    assert rows["truncated"] and rows["next"]["offset"] == rows["rows"], rows.keys()
    largest = max(largest, tokens(json.dumps(rows)))
    row = await called(client, "get", **note, key=7)
    change = dict(**note, operation="merge", key=7, document={"text": "short"}, etag=row["etag"])
    tried = await called(client, "write", **change)
    assert not tried["committed"]
    assert (await called(client, "get", **note, key=7))["data"]["text"] != "short"
    done = await called(client, "write", **change, token=tried["token"])
    assert done["committed"] and done["data"]["text"] == "short"
    again = await client.call_tool("write", dict(change, token=tried["token"]))
    assert again.is_error
    return tools, largest


def served(duet, database):
    """A server and its ready file."""
    ready = f"{database}.ready"
    with open(f"{database}.log", "w") as log:
        arguments = [duet, "serve", database, "--open", "all", "--mcp", "write", "--listen", "127.0.0.1:0"]
        server = subprocess.Popen([*arguments, "--ready-file", ready], stdout=log, stderr=log)
    while not os.path.exists(ready):
        assert server.poll() is None, open(f"{database}.log").read()
        time.sleep(0.05)
    with open(ready) as file:
        return server, json.load(file)["urls"][0]


async def main(duet):
    for count in (49, 2_000):
        for mode in ("auto", "legacy"):
            database = f"{count}-{mode}.db"
            tables(database, count)
            command = StdioServerParameters(command=duet, args=["mcp", database, "--write"])
            async with Client(command, mode=mode) as client:
                stdio = await conversation(client, count)
            os.remove(database)
            tables(database, count)
            server, url = served(duet, database)
            try:
                async with Client(f"{url}/mcp", mode=mode) as client:
                    http = await conversation(client, count)
            finally:
                server.terminate()
                server.wait()
            assert stdio == http, (stdio, http)
            print(f"{count:5} tables, {mode:6}: tools {stdio[0]} tokens, largest answer {stdio[1]} tokens")


asyncio.run(main(sys.argv[1]))
