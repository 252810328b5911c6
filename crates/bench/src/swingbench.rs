//! Reads a configuration of Swingbench, `SwingBenchConfiguration` in XML: the settings that charbench takes from it.
//! A setting that would change the load and cannot be taken is a [`Problem`] with its element and line.

use std::fmt;

pub use crate::xml::Problem;
use crate::xml::{Element, parse};

/// The settings of a configuration; `None` where the file leaves one out or sets none.
#[derive(Debug, Default, PartialEq)]
pub struct Configuration {
    /// `UserName`.
    pub user: Option<String>,
    /// `Password`.
    pub password: Option<Password>,
    /// `ConnectString`.
    pub connect: Option<String>,
    /// `NumberOfUsers`.
    pub users: Option<u32>,
    /// `PooledMaxLimit`: connections that all users share.
    pub pool: Option<(u32, LineNumber)>,
    /// `MinDelay` and `MaxDelay`, ms: think time inside transactions.
    pub think_inside: [Option<u64>; 2],
    /// `InterMinDelay` and `InterMaxDelay`, ms: think time between transactions.
    pub think: [Option<u64>; 2],
    /// `LogonDelay`, ms.
    pub logon_delay: Option<u64>,
    /// `WaitTillAllLogon`: no user begins before the last logon.
    pub waits_for_logon: bool,
    /// `LogonGroupCount`: users that log on together.
    pub logon_group: u64,
    /// `QueryTimeout`, s.
    pub timeout: Option<u64>,
    /// `MaxTransactions`.
    pub transactions: Option<u64>,
    /// `RunTime`, s.
    pub run: Option<u64>,
    /// The line that a run without an end is reported at.
    pub run_line: LineNumber,
    /// `StatsCollectionStart`, s.
    pub begin: Option<u64>,
    /// `StatsCollectionEnd`, s.
    pub end: Option<u64>,
    /// `TransactionList`.
    pub types: Vec<SwingbenchType>,
}

/// A line of the file, from 1.
pub type LineNumber = usize;

/// A password of a configuration.
#[derive(PartialEq)]
pub enum Password {
    /// As it is typed.
    Plain(String),
    /// `enc(…)`, which only Swingbench decrypts, and its line.
    Encrypted(LineNumber),
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// A type of transaction.
#[derive(Debug, PartialEq)]
pub struct SwingbenchType {
    /// `ShortName`.
    pub short: String,
    /// `ClassName`.
    pub class: String,
    /// `Weight`.
    pub weight: f64,
    /// `Enabled`.
    pub is_enabled: bool,
    /// Where it begins.
    pub line: LineNumber,
}

/// Reads a configuration.
///
/// # Errors
/// The first element that cannot be taken, with its line.
///
/// # Example
/// ```
/// let text = "<SwingBenchConfiguration>
///   <Load><NumberOfUsers>16</NumberOfUsers><RunTime>0:5</RunTime></Load>
/// </SwingBenchConfiguration>";
/// let read = duet_bench::swingbench::read(text)?;
/// assert_eq!((read.users, read.run), (Some(16), Some(300)));
///
/// let error = duet_bench::swingbench::read(&text.replace("16", "many")).unwrap_err();
/// assert_eq!(error.to_string(), "line 2: <NumberOfUsers>many</NumberOfUsers>: use a number.");
/// # Ok::<_, duet_bench::swingbench::Problem>(())
/// ```
pub fn read(text: &str) -> Result<Configuration, Problem> {
    let root = parse(text)?;
    if root.tag != "SwingBenchConfiguration" {
        let message = format!("<{}> is no configuration of Swingbench.", root.tag);
        return Err(Problem::new(root.line, message));
    }
    let mut read = Configuration { logon_group: 1, run_line: root.line, ..Default::default() };
    for part in &root.children {
        match part.tag.as_str() {
            "Connection" => part.children.iter().try_for_each(|it| connection(it, &mut read))?,
            "Load" => {
                read.run_line = part.line;
                part.children.iter().try_for_each(|it| load(it, &mut read))?;
            }
            // Names, charts and other programs' settings do not change the load.
            _ => {}
        }
    }
    Ok(read)
}

fn connection(element: &Element, read: &mut Configuration) -> Result<(), Problem> {
    let text = element.text.trim();
    let given = || (!text.is_empty()).then(|| text.to_owned());
    match element.tag.as_str() {
        "UserName" => read.user = given(),
        "ConnectString" => read.connect = given(),
        "Password" => {
            let encrypted = text.to_ascii_lowercase().starts_with("enc(");
            read.password = given().map(|text| match encrypted {
                true => Password::Encrypted(element.line),
                false => Password::Plain(text),
            });
        }
        // Both are about Oracle's own drivers.
        "DriverType" | "Properties" => {}
        "ConnectionPooling" => {
            let most = element.children.iter().find(|child| child.tag == "PooledMaxLimit");
            read.pool = most.map(|most| Ok((number(most)?, most.line))).transpose()?;
        }
        _ => return Err(unknown(element)),
    }
    Ok(())
}

fn load(element: &Element, read: &mut Configuration) -> Result<(), Problem> {
    match element.tag.as_str() {
        "NumberOfUsers" => read.users = Some(number(element)?).filter(|users| *users > 0),
        "MinDelay" => read.think_inside[0] = Some(number(element)?),
        "MaxDelay" => read.think_inside[1] = Some(number(element)?),
        "InterMinDelay" => read.think[0] = Some(number(element)?),
        "InterMaxDelay" => read.think[1] = Some(number(element)?),
        "QueryTimeout" => read.timeout = Some(number(element)?).filter(|seconds| *seconds > 0),
        "MaxTransactions" => {
            let most: i64 = number(element)?;
            read.transactions = u64::try_from(most).ok().filter(|most| *most > 0);
        }
        "RunTime" => {
            read.run_line = element.line;
            read.run = time(element)?;
        }
        "StatsCollectionStart" => read.begin = time(element)?,
        "StatsCollectionEnd" => read.end = time(element)?,
        "LogonDelay" => read.logon_delay = Some(number(element)?),
        "LogonGroupCount" => read.logon_group = number::<u64>(element)?.max(1),
        "WaitTillAllLogon" => read.waits_for_logon = flag(element)?,
        "LogOutPostTransaction" if flag(element)? => {
            return Err(refused(element, "users stay connected here"));
        }
        "ConnectionRefresh" if number::<u64>(element)? > 0 => {
            return Err(refused(element, "users keep their connection here"));
        }
        // Variables name files of Swingbench's own data.
        "LogOutPostTransaction" | "ConnectionRefresh" | "EnvironmentVariables" => {}
        "TransactionList" => {
            read.types = element.children.iter().map(transaction).collect::<Result<_, _>>()?;
        }
        _ => return Err(unknown(element)),
    }
    Ok(())
}

fn transaction(element: &Element) -> Result<SwingbenchType, Problem> {
    if element.tag != "Transaction" {
        return Err(unknown(element));
    }
    let child = |tag: &str| element.children.iter().find(|child| child.tag == tag);
    let text = |tag: &str| child(tag).map(|child| child.text.trim().to_owned());
    let lacks = || Problem::new(element.line, "This <Transaction> has no <ShortName>.");
    let weight = child("Weight").map(number::<f64>).transpose()?.unwrap_or(1.0);
    if !weight.is_finite() || weight < 0.0 {
        return Err(Problem::new(element.line, "<Weight> is a number from 0."));
    }
    Ok(SwingbenchType {
        short: text("ShortName").filter(|short| !short.is_empty()).ok_or_else(lacks)?,
        class: text("ClassName").unwrap_or_default(),
        weight,
        is_enabled: child("Enabled").map(flag).transpose()?.unwrap_or(true),
        line: element.line,
    })
}

/// `hh:mm` or `hh:mm:ss` in seconds, also with a point before the seconds; `None` for no time.
///
/// # Example
/// ```
/// use duet_bench::swingbench::seconds;
/// assert_eq!(["0:30", "0:0.30", "1:0:5", "soon"].map(seconds), [Some(1800), Some(30), Some(3605), None]);
/// ```
pub fn seconds(text: &str) -> Option<u64> {
    let (hours, rest) = text.split_once(':')?;
    let (minutes, seconds) = rest.split_once(['.', ':']).unwrap_or((rest, "0"));
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number < 10_000);
    Some(number(hours)? * 3600 + number(minutes)? * 60 + number(seconds)?)
}

fn time(element: &Element) -> Result<Option<u64>, Problem> {
    let time = seconds(element.text.trim());
    let time = time.ok_or_else(|| wrong(element, "use hh:mm or hh:mm:ss"))?;
    Ok(Some(time).filter(|time| *time > 0))
}

fn number<T: std::str::FromStr>(element: &Element) -> Result<T, Problem> {
    element.text.trim().parse().map_err(|_| wrong(element, "use a number"))
}

fn flag(element: &Element) -> Result<bool, Problem> {
    match element.text.trim() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(wrong(element, "use true or false")),
    }
}

/// The error of an element with a value.
fn wrong(element: &Element, why: &str) -> Problem {
    let (tag, text) = (&element.tag, element.text.trim());
    Problem::new(element.line, format!("<{tag}>{text}</{tag}>: {why}."))
}

fn refused(element: &Element, why: &str) -> Problem {
    wrong(element, &format!("{why}; remove the element"))
}

fn unknown(element: &Element) -> Problem {
    let message = format!("<{}> is not known here; remove the element.", element.tag);
    Problem::new(element.line, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as Swingbench ships it.
    const FILE: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<SwingBenchConfiguration xmlns="http://www.dominicgiles.com/swingbench/config">
  <Name>"Order Entry (PLSQL) V2"</Name>
  <Connection>
    <UserName>soe</UserName>
    <Password>a &amp; b</Password>
    <ConnectString>//localhost:1521/pdb1</ConnectString>
    <DriverType>Oracle jdbc Driver</DriverType>
    <ConnectionPooling>
      <PooledInitialLimit>5</PooledInitialLimit>
      <PooledMaxLimit>50</PooledMaxLimit>
    </ConnectionPooling>
    <Properties><Property Key="FetchSize">20</Property></Properties>
  </Connection>
  <Load>
    <NumberOfUsers>15</NumberOfUsers>
    <MinDelay>0</MinDelay>
    <MaxDelay>10</MaxDelay>
    <InterMinDelay>50</InterMinDelay>
    <InterMaxDelay>100</InterMaxDelay>
    <QueryTimeout>120</QueryTimeout>
    <MaxTransactions>-1</MaxTransactions>
    <RunTime>0:5</RunTime>
    <LogonGroupCount>4</LogonGroupCount>
    <LogonDelay>20</LogonDelay>
    <LogOutPostTransaction>false</LogOutPostTransaction>
    <WaitTillAllLogon>true</WaitTillAllLogon>
    <StatsCollectionStart>0:1</StatsCollectionStart>
    <StatsCollectionEnd>0:0</StatsCollectionEnd>
    <ConnectionRefresh>0</ConnectionRefresh>
    <TransactionList>
      <Transaction>
        <Id>Customer Registration</Id>
        <ShortName>NCR</ShortName>
        <ClassName>com.dom.benchmarking.swingbench.benchmarks.orderentryplsql.NewCustomerProcessV2</ClassName>
        <Weight>15</Weight>
        <Enabled>true</Enabled>
      </Transaction>
      <Transaction>
        <ShortName>SQ</ShortName>
        <Weight>2</Weight>
        <Enabled>false</Enabled>
      </Transaction>
    </TransactionList>
    <EnvironmentVariables><Variable Key="SOE_NLS_DATA_LOC" Value="data/nls.txt"/></EnvironmentVariables>
  </Load>
  <Preferences><StartMode>manual</StartMode></Preferences>
</SwingBenchConfiguration>"#;

    #[test]
    fn a_file_as_it_is_shipped() {
        let found = read(FILE).unwrap();
        assert_eq!(found.user.as_deref(), Some("soe"));
        assert_eq!(found.password, Some(Password::Plain("a & b".into())));
        assert_eq!(found.connect.as_deref(), Some("//localhost:1521/pdb1"));
        assert_eq!((found.users, found.pool), (Some(15), Some((50, 11))));
        assert_eq!((found.think_inside, found.think), ([Some(0), Some(10)], [Some(50), Some(100)]));
        let logon = (found.logon_delay, found.logon_group, found.waits_for_logon);
        assert_eq!(logon, (Some(20), 4, true));
        assert_eq!((found.timeout, found.transactions), (Some(120), None));
        assert_eq!((found.run, found.begin, found.end), (Some(300), Some(60), None));
        let types = found.types.iter().map(|it| (&*it.short, it.weight, it.is_enabled));
        let types: Vec<_> = types.collect();
        assert_eq!(types, [("NCR", 15.0, true), ("SQ", 2.0, false)]);
        assert!(!format!("{found:?}").contains("a & b"));
    }

    #[test]
    fn elements_that_cannot_be_taken_are_named_with_their_lines() {
        for (old, new, line, said) in [
            (">15<", "> many <", 16, "<NumberOfUsers>many</NumberOfUsers>: use a number."),
            (">10<", ">-10<", 18, "<MaxDelay>-10</MaxDelay>: use a number."),
            (">0:5<", ">5 min<", 23, "<RunTime>5 min</RunTime>: use hh:mm or hh:mm:ss."),
            (
                "Transaction>false<",
                "Transaction>true<",
                26,
                "<LogOutPostTransaction>true</LogOutPostTransaction>: users stay connected here; \
                 remove the element.",
            ),
            (
                "<ConnectionRefresh>0<",
                "<ConnectionRefresh>5<",
                30,
                "<ConnectionRefresh>5</ConnectionRefresh>: users keep their connection here; \
                 remove the element.",
            ),
            ("<ShortName>SQ</ShortName>", "", 39, "This <Transaction> has no <ShortName>."),
            ("<Weight>2<", "<Weight>-2<", 39, "<Weight> is a number from 0."),
            (">false</Enabled>", ">no</Enabled>", 42, "<Enabled>no</Enabled>: use true or false."),
            ("QueryTimeout>", "Patience>", 21, "<Patience> is not known here; remove the element."),
            ("SwingBenchConfiguration", "Other", 2, "<Other> is no configuration of Swingbench."),
        ] {
            let error = read(&FILE.replace(old, new)).unwrap_err();
            assert_eq!((error.line, &*error.message), (line, said), "{old}");
        }
        let error = read(&FILE.replace("</RunTime>", "</Runtime>")).unwrap_err();
        assert_eq!(error.line, 23, "{error}");
        let hidden = read(&FILE.replace("a &amp; b", "enc(AbC=)")).unwrap();
        assert_eq!(hidden.password, Some(Password::Encrypted(6)));
    }
}
