"""The statements that a request runs on PostgreSQL, as a script of pgbench's, so that both can be timed side by side."""
import os, pathlib, re, subprocess

from sides import Duet

# What a captured request has in place of {n} and {m}: numbers that no other parameter has.
NUMBERS = {"{n}": 77777, "{m}": 7}
ENTRY = re.compile(r"^\d{4}-\d\d-\d\d .*? (LOG|DETAIL|STATEMENT|ERROR|WARNING|NOTICE|HINT|CONTEXT|FATAL):  ", re.M)


def _psql(database, sql):
    command = ["psql", "-XqAtv", "ON_ERROR_STOP=1", database, "-c", sql]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _literal(value, variable):
    """A parameter's value as pgbench passes it on: a variable for the number that changes from request to request."""
    if value in (str(variable), "{%s}" % variable):
        return ":n" if value == str(variable) else "ARRAY[:n]"
    return value if re.fullmatch(r"-?\d+", value) else "'" + value.replace("'", "''") + "'"


def _with_values(sql, detail, variable):
    """A statement whose parameters are written as pgbench's variables, or as constants where they do not change."""
    values = dict(re.findall(r"\$(\d+) = (NULL|'(?:[^']|'')*')", detail))
    def written(found):
        value = values[found[1]]
        return "NULL" if value == "NULL" else _literal(value[1:-1].replace("''", "'"), variable)
    return re.sub(r"\$(\d+)", written, sql)


def _entries(log):
    """The kind and text of each entry of PostgreSQL's log."""
    starts = list(ENTRY.finditer(log))
    for found, following in zip(starts, [*starts[1:], None]):
        yield found[1], log[found.end():following.start() if following else len(log)].replace("\n\t", "\n").strip()


def script_of(folder, database, path, *more):
    """Asks `duet serve` twice for a path and writes what the second request ran to a file. Returns the file and the statements."""
    name = _psql(database, "SELECT current_database()")
    log = pathlib.Path(_psql(database, "SHOW data_directory")).parent / "log"
    _psql(database, f'ALTER DATABASE "{name}" SET log_statement = \'all\'')
    duet = Duet(folder, database, *more)
    changing = next((mark for mark in NUMBERS if mark in path), None)
    asked = path.replace(changing, str(NUMBERS[changing])) if changing else path
    duet.get(asked)
    before = len(log.read_text())
    duet.get(asked)
    duet.stop()
    _psql(database, f'ALTER DATABASE "{name}" RESET log_statement')
    statements = []
    for kind, text in _entries(log.read_text()[before:]):
        if kind == "LOG" and (found := re.match(r"(?:execute [^:]*|statement): (.*)", text, re.S)):
            statements.append(found[1])
        elif kind == "DETAIL" and text.startswith("parameters:"):
            statements[-1] = _with_values(statements[-1], text, NUMBERS.get(changing))
    # Other sessions of the server listen and look after changes of the schema meanwhile.
    statements = [sql for sql in statements if not re.match(r"LISTEN|SET|RESET|DISCARD|ALTER DATABASE", sql)]
    top = {"{n}": 100000, "{m}": 9}.get(changing)
    file = pathlib.Path(folder, re.sub(r"\W+", "_", path) + ".sql")
    ended = "".join(" ".join(sql.split("\n")).rstrip("; ") + ";\n" for sql in statements)
    file.write_text((f"\\set n random({int(changing == '{n}')}, {top})\n" if changing else "") + ended)
    return file, statements
