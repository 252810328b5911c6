"""A coordinator and two workers of Citus as processes of this machine, how the trials spread tables over them, and `duet serve`.

A design is a name: R all tables are reference tables; P as `duet check --engine citus` proposes; K each table by its own key,
without links and other unique keys; of car-racing also M (drivers with their results by driver, the others everywhere) and C
(drivers by team). Citus refuses triggers, so those of the applications go."""

import contextlib
import http.client
import json
import os
import subprocess
import time
from pathlib import Path

from cluster import free_port, servers_folder

NODES = 3
# What is compared of a header's answer, as in the golden cases.
HEADERS = ["etag", "location", "content-location", "preference-applied", "allow", "retry-after", "x-answer"]
# As JSON, because names may have any character.
TABLES = """SELECT json_agg(c.oid::regclass::text ORDER BY c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'duet')
    AND n.nspname !~ '^(pg_|citus|columnar)'"""
ROLE = """SELECT substr(one, 6) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) AS one
  WHERE d.datname = current_database() AND one LIKE 'role=%'"""
WITHOUT_TRIGGERS = """DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT tgname, tgrelid::regclass AS tbl FROM pg_trigger WHERE NOT tgisinternal LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', one.tgname, one.tbl); END LOOP; END $$"""
WITHOUT_LINKS = """DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT conname, conrelid::regclass AS tbl FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.tbl, one.conname); END LOOP; END $$"""
WITHOUT_UNIQUE_KEYS = """DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT conname, conrelid::regclass AS tbl FROM pg_constraint WHERE contype = 'u' AND connamespace = 'public'::regnamespace LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.tbl, one.conname); END LOOP;
  FOR one IN SELECT x.indexrelid::regclass AS index FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid
    WHERE x.indisunique AND NOT x.indisprimary AND c.relnamespace = 'public'::regnamespace LOOP
    EXECUTE format('DROP INDEX %s', one.index); END LOOP; END $$"""
FIRST_OF_KEY = """SELECT a.attname FROM pg_index x JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
  WHERE x.indisprimary AND x.indrelid = $t${table}$t$::regclass"""
# Citus makes the sequences of identity columns again, from their beginning; as `duet check` does, the designs let them go on.
SAVE_SEQUENCES = """CREATE TEMPORARY TABLE duet_sequence (tbl text, col text, reached bigint, called boolean);
DO $$ DECLARE own record; BEGIN
  FOR own IN SELECT attrelid::regclass::text AS tbl, attname AS col, pg_get_serial_sequence(attrelid::regclass::text, attname) AS sequence
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE a.attidentity <> '' AND NOT a.attisdropped AND c.relnamespace::regnamespace::text !~ '^(pg_|citus|columnar)' LOOP
    EXECUTE format('INSERT INTO duet_sequence SELECT %L, %L, last_value, is_called FROM %s', own.tbl, own.col, own.sequence);
  END LOOP; END $$"""
RESTORE_SEQUENCES = "SELECT setval(pg_get_serial_sequence(tbl, col), reached, called) FROM duet_sequence"
# What the tables of car-racing become. Calls of Citus are left out on plain PostgreSQL.
ALTERED = {
    "M": [
        "ALTER TABLE driver DROP CONSTRAINT driver_name_key",
        "ALTER TABLE driver_race_map DROP CONSTRAINT driver_race_map_pkey, ADD PRIMARY KEY (driver_race_map_id, driver_id)",
        "SELECT create_reference_table('team')", "SELECT create_reference_table('race')",
        "SELECT create_distributed_table('driver', 'driver_id', colocate_with := 'none')",
        "SELECT create_distributed_table('driver_race_map', 'driver_id', colocate_with := 'driver')",
        "ALTER TABLE driver ADD CONSTRAINT driver_fk FOREIGN KEY (team_id) REFERENCES team",
        "ALTER TABLE driver_race_map ADD CONSTRAINT driver_race_map_fk1 FOREIGN KEY (race_id) REFERENCES race",
        "ALTER TABLE driver_race_map ADD CONSTRAINT driver_race_map_fk2 FOREIGN KEY (driver_id) REFERENCES driver",
    ],
    "C": [
        "ALTER TABLE driver DROP CONSTRAINT driver_pkey, DROP CONSTRAINT driver_name_key",
        "DELETE FROM driver_race_map WHERE driver_id IN (SELECT driver_id FROM driver WHERE team_id IS NULL)",
        "DELETE FROM driver WHERE team_id IS NULL",
        "ALTER TABLE driver ADD PRIMARY KEY (driver_id, team_id)", "ALTER TABLE team DROP CONSTRAINT team_name_key",
        "SELECT create_distributed_table('team', 'team_id', colocate_with := 'none')",
        "SELECT create_distributed_table('driver', 'team_id', colocate_with := 'team')",
        "SELECT create_reference_table('race')", "SELECT create_reference_table('driver_race_map')",
        "ALTER TABLE driver ADD CONSTRAINT driver_fk FOREIGN KEY (team_id) REFERENCES team",
        "ALTER TABLE driver_race_map ADD CONSTRAINT driver_race_map_fk1 FOREIGN KEY (race_id) REFERENCES race",
    ],
}
# The keys that app.toml then declares, as docs/scaling.md says.
KEYS = {"M": {"driver_race_map": ["driver_race_map_id"]}, "C": {"driver": ["driver_id"]}}


class Refused(Exception):
    """What psql says of a statement that fails."""


class Cluster:
    """A coordinator and two workers."""

    def __init__(self, programs, folder):
        self.programs, self.folder = Path(programs), folder
        self.ports, self.started = [free_port() for _ in range(NODES)], []
        self.made = 0

    def start_all(self):
        for port in self.ports:
            self.start(port)
            self.started.append(port)

    def run(self, *words):
        command = [str(self.programs / words[0]), *words[1:]]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        own = os.environ | {"HOME": str(self.folder)}
        return subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder, env=own)

    def start(self, port):
        data = self.folder / str(port)
        self.run("initdb", "-D", str(data), "-A", "trust", "-U", "postgres", "-N", "-E", "UTF8", "--locale=C.UTF-8")
        settings = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": self.folder,
                    "shared_preload_libraries": "citus", "fsync": "off", "full_page_writes": "off",
                    "max_connections": 300, "max_prepared_transactions": 300, "citus.shard_count": 8,
                    "citus.node_conninfo": "sslmode=disable"}
        with open(data / "postgresql.conf", "a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self.run("pg_ctl", "-D", str(data), "-l", str(data / "log"), "-w", "start")

    def stop(self):
        for port in self.started:
            self.run("pg_ctl", "-D", str(self.folder / str(port)), "-m", "immediate", "stop")

    def psql(self, database, port=None):
        words = ["psql", "-h", "127.0.0.1", "-p", str(port or self.ports[0]), "-U", "postgres", "-d", database]
        return [str(self.programs / words[0]), *words[1:], "-qAtX", "-v", "ON_ERROR_STOP=1"]

    def sql(self, database, *statements, port=None):
        words = self.psql(database, port)
        for statement in statements:
            words += ["-f" if isinstance(statement, Path) else "-c", str(statement)]
        # Statements of one transaction may write a table and then one that it refers to; and some cases give others a role.
        own = os.environ | {"PGOPTIONS": "-c citus.multi_shard_modify_mode=sequential -c role=none"}
        done = subprocess.run(words, capture_output=True, text=True, env=own)
        if done.returncode:
            raise Refused(next((line for line in done.stderr.splitlines() if "ERROR" in line), done.stderr[:300]))
        return done.stdout

    def database(self, citus):
        """A new database, with Citus on all nodes or without it; its name."""
        self.made += 1
        name = f"trial_{self.made}"
        ports = self.ports if citus else self.ports[:1]
        for port in ports:
            self.sql("postgres", f"CREATE DATABASE {name}", port=port)
            if citus:
                self.sql(name, "CREATE EXTENSION citus", port=port)
        if citus:
            own, *others = self.ports
            add = [f"SELECT citus_add_node('127.0.0.1', {port})" for port in others]
            self.sql(name, f"SELECT citus_set_coordinator_host('127.0.0.1', {own})", *add)
        return name

    def drop(self, name, citus):
        """Removes a database, and the roles of its case, which are those of a server."""
        for port in self.ports if citus else self.ports[:1]:
            self.sql("postgres", f"DROP DATABASE {name} WITH (FORCE)", port=port)
            for role in self.sql("postgres", "SELECT quote_ident(rolname) FROM pg_roles WHERE rolname LIKE 'golden%'", port=port).split():
                self.sql("postgres", f"DROP ROLE {role}", port=port)

    def url(self, name):
        return f"postgres://postgres@127.0.0.1:{self.ports[0]}/{name}?sslmode=disable"

    def take_role(self, name, citus):
        """The role that a case gives to all who connect, which must not make the design; without it from now on."""
        role = self.sql(name, ROLE).strip()
        if role:
            for port in self.ports if citus else self.ports[:1]:
                self.sql("postgres", f"ALTER DATABASE {name} RESET role", port=port)
        return role

    def give_role(self, name, role, citus):
        if role:
            # Machines connect to each other as the role.
            for port in self.ports if citus else self.ports[:1]:
                self.sql("postgres", f"ALTER ROLE {role} LOGIN", port=port)
            # From another database, so that Citus does not pass it on.
            self.sql("postgres", f"ALTER DATABASE {name} SET role = {role}")

    def alter(self, name, design, application, duet):
        """What a design takes from tables, on plain PostgreSQL too, so that both sides have the same keys."""
        if design == "K":
            self.sql(name, WITHOUT_LINKS, WITHOUT_UNIQUE_KEYS)
        elif design == "P":
            script = self.proposed(name, application, duet)
            lines = script.read_text().splitlines()
            script.write_text("\n".join(line for line in lines if not line.startswith("SELECT create_")))
            self.sql(name, script)
        elif design in ALTERED:
            self.sql(name, WITHOUT_LINKS, *(one for one in ALTERED[design] if not one.startswith("SELECT create_")))

    def proposed(self, name, application, duet):
        """The file with what `duet check` proposes."""
        words = [duet, "check", str(application), "--engine", "citus", "--database", self.url(name)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            raise Refused(f"duet check: {done.stderr[:300]!r}")
        script = application / "distribution.txt"
        script.write_text(done.stdout)
        return script

    def distribute(self, name, design, application, duet):
        if design == "P":
            return self.sql(name, self.proposed(name, application, duet))
        tables, made = json.loads(self.sql(name, TABLES).strip() or "[]"), []
        if design == "R":
            made = [f"SELECT create_reference_table($t${table}$t$)" for table in tables]
        elif design == "K":
            made = [WITHOUT_LINKS, WITHOUT_UNIQUE_KEYS]
            for table in tables:
                key = self.sql(name, FIRST_OF_KEY.format(table=table)).strip()
                by = f"SELECT create_distributed_table($t${table}$t$, $t${key}$t$, colocate_with := 'none')"
                made.append(by if key else f"SELECT create_reference_table($t${table}$t$)")
        else:
            made = [WITHOUT_LINKS, *ALTERED[design]]
        return self.sql(name, SAVE_SEQUENCES, *made, RESTORE_SEQUENCES)


@contextlib.contextmanager
def running(programs):
    """A cluster, and a folder for what is tried on it; both end with the block."""
    with servers_folder("trial-citus-") as folder:
        work, cluster = folder / "cases", Cluster(programs, folder)
        work.mkdir()
        try:
            cluster.start_all()
            yield cluster, work
        finally:
            cluster.stop()


class Server:
    """`duet serve` of an application on a database."""

    def __init__(self, duet, application, url, log, *more):
        self.port = free_port()
        words = [duet, "serve", str(application), "--database", url, "--listen", f"127.0.0.1:{self.port}", "--open", "all", *more]
        self.log = open(log, "w")
        self.process = subprocess.Popen(words, stdout=self.log, stderr=subprocess.STDOUT)
        self.is_up = False
        while self.process.poll() is None and not self.is_up:
            try:
                self.is_up = self.ask("GET", "/health/ready", {}, "")[0] == 200
            except OSError:
                time.sleep(0.02)

    def ask(self, method, target, headers, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, target, body.encode() or None, headers)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        found = {name: answer.headers[name] for name in HEADERS if answer.headers[name]}
        connection.close()
        return answer.status, found, text

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
