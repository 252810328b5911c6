//! Command lines of charbench against PostgreSQL, as a link of that name reads them.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use duet_testkit::command::clean;
use duet_testkit::postgres::{Options, Server, Tls};
use duet_testkit::sqlite::Folder;
use duet_testkit::tls::Authority;

use crate::{duet, told};

/// Runs a command line of charbench in a folder.
fn charbench(folder: &Path, line: &str) -> (i32, String, String) {
    let link = folder.join("charbench");
    if !link.exists() {
        symlink(env!("CARGO_BIN_EXE_duet"), &link).unwrap();
    }
    let mut command = clean(&link);
    let words = line.split_whitespace().skip(1);
    told(&command.args(words).current_dir(folder).output().unwrap())
}

fn load(database: &str) {
    for (set, scale) in [("soe", "0.0005"), ("retail", "0.001")] {
        let words = ["bench", "load", set, "--database", database, "--scale", scale];
        let (code, said, errors) = duet(&words);
        assert_eq!(code, 0, "{said}{errors}");
    }
}

/// The lines of the published report, with this server, and fewer transactions.
#[test]
fn published_command_lines_run_unchanged() {
    let server = Server::start_with(Options::new().password("a 'secret'"));
    let (folder, database) = (Folder::new(), server.database("soe"));
    load(&database.url());
    database.exec("CREATE ROLE soe LOGIN SUPERUSER PASSWORD 'oracle'");
    let at =
        format!("charbench -cs //localhost:{}/soe -u soe -p oracle -uc 4 -a -mr", server.port());
    for (configuration, transactions, name) in [
        ("SOE_Client_Side", 200, "results.xml"),
        ("SOE_Server_Side_V2", 200, "results00001.xml"),
        ("TPCDS_Like_Workload", 8, "results00002.xml"),
    ] {
        let line = format!(
            "{at} -c configs/{configuration}.xml -v users,tpm,tps,cpu,disk -mt {transactions}"
        );
        let (code, said, errors) = charbench(folder.path(), &line);
        assert!(code == 0 && errors.is_empty(), "{line}: {code} {said}{errors}");
        for part in [
            format!("Results will be written to {name}."),
            "|Average Transactions/sec ".to_owned(),
            format!("Saved results to {name}\n"),
            "Completed Run.\n".to_owned(),
        ] {
            assert!(said.contains(&part), "{part}: {said}");
        }
        let head = said.lines().find(|line| line.contains("Users")).unwrap();
        assert!(
            ["TPM", "TPS", "User", "System", "Wait", "Idle", "BI", "BO"]
                .iter()
                .all(|it| head.contains(it)),
            "{head}"
        );
        let xml = fs::read_to_string(folder.path().join(name)).unwrap();
        let count = format!("<TotalCompletedTransactions>{transactions}<");
        assert!(xml.contains(&count) && xml.contains("<NumberOfUsers>4<"), "{xml}");
        assert!(!xml.contains("oracle"), "{xml}");
    }
    let line = format!("{at} -c configs/SOE_Client_Side.xml -mt 50 -r x.xml");
    let older = folder.path().join("x.xml");
    fs::write(&older, "older").unwrap();
    assert_eq!(charbench(folder.path(), &line).0, 0);
    assert_eq!(fs::read_to_string(&older).unwrap(), "older");
    assert!(folder.path().join("x00001.xml").exists());
    let wrong = line.replace("-p oracle", "-p wrong");
    let (code, _, errors) = charbench(folder.path(), &wrong);
    assert!(code == 1 && errors.contains("password"), "{errors}");
}

/// A file as Swingbench writes it, with the port of the server.
fn configuration(port: u16) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<SwingBenchConfiguration xmlns="http://www.dominicgiles.com/swingbench/config">
  <Name>Order entry</Name>
  <Connection>
    <UserName>soe</UserName>
    <Password>oracle</Password>
    <ConnectString>//localhost:{port}/soe</ConnectString>
    <DriverType>Oracle jdbc Driver</DriverType>
    <Properties><Property Key="FetchSize">20</Property></Properties>
  </Connection>
  <Load>
    <NumberOfUsers>3</NumberOfUsers>
    <MaxTransactions>60</MaxTransactions>
    <RunTime>0:0</RunTime>
    <LogonDelay>20</LogonDelay>
    <TransactionList>
      <Transaction><ShortName>BP</ShortName><Weight>50</Weight><Enabled>true</Enabled></Transaction>
      <Transaction><ShortName>NCR</ShortName><Weight>15</Weight><Enabled>true</Enabled></Transaction>
      <Transaction><ShortName>OP</ShortName><Weight>40</Weight><Enabled>false</Enabled></Transaction>
    </TransactionList>
  </Load>
</SwingBenchConfiguration>
"#
    )
}

#[test]
fn the_settings_of_a_configuration_are_read() {
    let server = Server::start_with(Options::new().password("a 'secret'"));
    let (folder, database) = (Folder::new(), server.database("soe"));
    load(&database.url());
    database.exec("CREATE ROLE soe LOGIN SUPERUSER PASSWORD 'oracle'");
    let file = folder.path().join("SOE_Client_Side.xml");
    fs::write(&file, configuration(server.port())).unwrap();
    let line = "charbench -c SOE_Client_Side.xml -a -v users,trans";
    let (code, said, errors) = charbench(folder.path(), line);
    assert!(code == 0 && errors.is_empty(), "{said}{errors}");
    let head = said.lines().find(|line| line.contains("Users")).unwrap();
    assert!(head.contains("BP") && head.contains("NCR") && !head.contains("OP"), "{head}");
    let xml = fs::read_to_string(folder.path().join("results.xml")).unwrap();
    for part in ["<TotalCompletedTransactions>60<", "<NumberOfUsers>3<"] {
        assert!(xml.contains(part), "{xml}");
    }
    // The command line wins.
    let (code, said, errors) = charbench(folder.path(), &format!("{line} -uc 2 -mt 40 -r b.xml"));
    assert_eq!(code, 0, "{said}{errors}");
    let xml = fs::read_to_string(folder.path().join("b.xml")).unwrap();
    for part in ["<TotalCompletedTransactions>40<", "<NumberOfUsers>2<"] {
        assert!(xml.contains(part), "{xml}");
    }
    let wrong = configuration(server.port()).replace("<RunTime>0:0<", "<RunTime>long<");
    fs::write(&file, wrong).unwrap();
    let (code, _, errors) = charbench(folder.path(), line);
    let said = "SOE_Client_Side.xml:14: <RunTime>long</RunTime>: use hh:mm or hh:mm:ss.";
    assert!(code == 2 && errors.contains(said), "{code} {errors}");
}

/// The line of the cloud's database: a folder of certificates and a name in its file of services.
#[test]
fn a_folder_of_certificates_is_the_wallet() {
    let certificates = Authority::for_postgres();
    let server = Server::start_with(Options::new().tls(Tls::ClientCertificate, certificates));
    let (folder, database) = (Folder::new(), server.database("soe"));
    load(&database.url());
    let wallet = folder.path().join("wallet.zip");
    fs::create_dir(&wallet).unwrap();
    let tls = server.tls().unwrap();
    for (from, name) in [
        (&tls.authority, "root.crt"),
        (&tls.client_certificate, "postgresql.crt"),
        (&tls.client_key, "postgresql.key"),
    ] {
        fs::copy(from, wallet.join(name)).unwrap();
    }
    let services =
        format!("[test1_tpurgent]\nhost=localhost\nport={}\ndbname=soe\n", server.port());
    fs::write(wallet.join("pg_service.conf"), services).unwrap();
    let line = "charbench -cf wallet.zip -cs test1_tpurgent -c configs/SOE_Client_Side.xml -u postgres -uc 2 -a -v users,tpm,tps,cpu,disk -mt 100 -mr";
    let (code, said, errors) = charbench(folder.path(), line);
    assert_eq!(code, 0, "{said}{errors}");
    let xml = fs::read_to_string(folder.path().join("results.xml")).unwrap();
    assert!(xml.contains("<TotalCompletedTransactions>100<"), "{xml}");
    // The same as a zip file.
    let zip = fs::File::create(folder.path().join("packed.zip")).unwrap();
    let mut zip = zip::ZipWriter::new(zip);
    for (from, name) in [
        ("root.crt", "ca.pem"),
        ("postgresql.crt", "postgresql.crt"),
        ("postgresql.key", "postgresql.key"),
        ("pg_service.conf", "pg_service.conf"),
    ] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&fs::read(wallet.join(from)).unwrap()).unwrap();
    }
    zip.finish().unwrap();
    let packed = line.replace("wallet.zip", "packed.zip").replace("-uc 2", "--layout 2x1");
    let (code, said, errors) = charbench(folder.path(), &packed);
    assert_eq!(code, 0, "{said}{errors}");
    fs::remove_file(wallet.join("root.crt")).unwrap();
    let (code, _, errors) = charbench(folder.path(), line);
    let said = "there is no root.crt or ca.pem in it";
    assert!(code == 2 && errors.contains(said), "{code} {errors}");
}

#[test]
fn options_without_a_meaning_are_refused() {
    let folder = Folder::new();
    for (line, said) in [
        (
            "charbench -c SOE_Client_Side.xml -cs //h/d -dt oci",
            "-dt oci has no meaning here: leave it",
        ),
        ("charbench -c SOE_Client_Side.xml -cs //h/d -co h", "-co has no meaning here: run each"),
        ("charbench -c configs/Sales_History.xml -cs //h/d", "no workload here is that"),
        ("charbench -cs //h/d", "-c names the configuration"),
    ] {
        let (code, _, errors) = charbench(folder.path(), line);
        assert!(code == 2 && errors.contains(said), "{line}: {code} {errors}");
    }
    let (code, _, errors) = duet(&["bench", "run", "rest", "-dumptx"]);
    assert!(code == 2 && errors.contains("use --jtl FILE"), "{errors}");
}

/// Its help is of charbench's options, not of those of Duet that they mean.
#[test]
fn its_help_is_its_own() {
    let folder = Folder::new();
    let (code, said, errors) = charbench(folder.path(), "charbench -h");
    assert_eq!((code, &*errors), (0, ""));
    assert!(said.contains("\n  -uc N ") && !said.contains("--arrivals"), "{said}");
}
