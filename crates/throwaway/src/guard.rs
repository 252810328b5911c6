//! The process between a test and its server: it starts the server, stops it, and outlives the
//! test just long enough to clean up.
//!
//! A shell reads words from a pipe whose other end only the test holds. When the test ends, in
//! whatever way, the pipe ends too, and the shell stops the server and removes its files. A
//! signal tied to the parent's death would not do: it is lost when the user changes, and it fires
//! when the starting thread ends, not the process.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::install::Install;

/// `$1` is the folder of PostgreSQL's programs, `$2` the server's folder.
const SCRIPT: &str = r#"
server=
frozen=
# The processes that the server has started; those that end meanwhile are passed over.
children() {
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    set -- ${line##*) }
    [ "$2" = "$server" ] || continue
    process=${stat#/proc/}
    echo "${process%/stat}"
  done
}
while read -r word; do
  case $word in
    start)
      "$1/postgres" -D "$2/data" </dev/null >>"$2/log" 2>&1 &
      server=$!
      echo "$server" ;;
    freeze)
      # First the one that starts others.
      kill -STOP "$server"
      frozen="$server $(children)"
      kill -STOP $frozen
      echo frozen ;;
    *)
      kill -"$word" "$server"
      wait "$server"
      server=
      echo gone ;;
  esac
done
if [ -n "$server" ]; then
  kill -QUIT "$server"
  [ -z "$frozen" ] || kill -CONT $frozen
  wait "$server"
fi
cd /
# A process that still makes files in there, such as initdb, ends once its folder is gone.
tries=0
until rm -rf "$2" 2>/dev/null || [ $tries -ge 100 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
"#;

/// The guarding shell.
#[derive(Debug)]
pub(super) struct Guard {
    shell: Child,
    words: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Guard {
    pub(super) fn spawn(install: &Install, folder: &Path) -> io::Result<Self> {
        let mut shell = install
            .as_owner(Path::new("/bin/sh"), folder)
            .args(["-c", SCRIPT, "duet-testkit-guard"])
            .args([install.folder(), folder])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C goes to the test; the shell must live on to clean up.
            .process_group(0)
            .spawn()?;
        let words = shell.stdin.take();
        let answers = shell.stdout.take().ok_or_else(|| io::Error::other("no pipe"))?;
        Ok(Self { shell, words, answers: BufReader::new(answers) })
    }

    /// Starts a server process and gives its id.
    pub(super) fn start(&mut self) -> io::Result<u32> {
        self.say("start")?.parse().map_err(io::Error::other)
    }

    /// Stops all processes of the server where they are, as on a machine that hangs.
    pub(super) fn freeze(&mut self) -> io::Result<()> {
        match self.say("freeze")?.as_str() {
            "frozen" => Ok(()),
            answer => Err(io::Error::other(format!("the guard said {answer:?}"))),
        }
    }

    /// Sends the server a signal (`INT`, `QUIT`, `KILL`) and waits for its end.
    pub(super) fn signal(&mut self, name: &str) -> io::Result<()> {
        match self.say(name)?.as_str() {
            "gone" => Ok(()),
            answer => Err(io::Error::other(format!("the guard said {answer:?}"))),
        }
    }

    fn say(&mut self, word: &str) -> io::Result<String> {
        let pipe = self.words.as_mut().ok_or_else(|| io::Error::other("the guard has gone"))?;
        writeln!(pipe, "{word}")?;
        pipe.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer.trim().to_owned())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.words.take());
        // Nothing can be done about a guard that cannot be waited for.
        let _ = self.shell.wait();
    }
}
