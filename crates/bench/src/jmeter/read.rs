//! From the XML of a plan to the plan. Elements apply to all samplers of their scope: those beside and below them.

use super::Problem;
use super::assertion::Assertion;
use super::csv::DataSet;
use super::extractor::Extractor;
use super::plan::{
    After, Body, Counter, Group, Item, OnError, Parameter, Pause, Plan, Sampler, Share, Time,
};
use super::request::Follows;
use super::script::Script;
use super::template::Template;
use crate::xml::{Element, parse};

/// Reads a plan.
///
/// # Errors
/// The first construct that cannot be taken.
pub fn read(text: &str) -> Result<Plan, Problem> {
    let root = parse(text)?;
    if root.tag != "jmeterTestPlan" {
        return Err(Problem::new(
            root.line,
            "This is no plan of JMeter: jmeterTestPlan is missing.",
        ));
    }
    let tree = root.children.iter().find(|child| child.tag == "hashTree");
    let pairs = tree.map(pairs).unwrap_or_default();
    let Some((plan, below)) = pairs.into_iter().find(|(element, _)| element.tag == "TestPlan")
    else {
        return Err(Problem::new(root.line, "The plan has no TestPlan."));
    };
    let mut reader = Reader::default();
    let variables = arguments(plan.property("TestPlan.user_defined_variables"))?;
    let scope = reader.scope(&Scope { variables, ..Scope::default() }, below, 0)?;
    let mut groups = Vec::new();
    for (element, below) in pairs_of(below) {
        if let Some(time) = time_of(element) {
            groups.push(reader.group(element, time, &scope, below)?);
        }
    }
    if groups.is_empty() {
        return Err(Problem::new(plan.line, "The plan has no thread group."));
    }
    Ok(Plan {
        name: plan.name().to_owned(),
        serial: plan.is_true("TestPlan.serialize_threadgroups"),
        variables: scope.variables,
        groups,
        data: reader.data,
        controllers: reader.controllers,
    })
}

fn time_of(element: &Element) -> Option<Time> {
    match element.tag.as_str() {
        "SetupThreadGroup" => Some(Time::SetUp),
        "ThreadGroup" => Some(Time::Main),
        "PostThreadGroup" => Some(Time::TearDown),
        _ => None,
    }
}

/// The enabled elements of a tree, each with the tree below it.
fn pairs(tree: &Element) -> Vec<(&Element, Option<&Element>)> {
    let mut pairs: Vec<(&Element, Option<&Element>)> = Vec::new();
    for child in &tree.children {
        match (child.tag.as_str(), pairs.last_mut()) {
            ("hashTree", Some((_, below))) => *below = Some(child),
            _ => pairs.push((child, None)),
        }
    }
    pairs.retain(|(element, _)| element.is_enabled());
    pairs
}

fn pairs_of(tree: Option<&Element>) -> Vec<(&Element, Option<&Element>)> {
    tree.map(pairs).unwrap_or_default()
}

/// What applies to the samplers at one place of the tree.
#[derive(Clone, Debug, Default)]
struct Scope {
    variables: Vec<(String, Template)>,
    headers: Vec<(Template, Template)>,
    protocol: Template,
    domain: Template,
    port: Template,
    path: Template,
    data: Vec<usize>,
    counters: Vec<Counter>,
    pause: Vec<Pause>,
    assertions: Vec<Assertion>,
    after: Vec<After>,
}

#[derive(Default)]
struct Reader {
    data: Vec<DataSet>,
    controllers: usize,
}

impl Reader {
    fn controller(&mut self) -> usize {
        self.controllers += 1;
        self.controllers - 1
    }

    /// The scope of the elements in a tree. Samplers and controllers are read later; `depth` is 0 for the plan.
    fn scope(
        &mut self,
        outer: &Scope,
        tree: Option<&Element>,
        depth: usize,
    ) -> Result<Scope, Problem> {
        let mut scope = outer.clone();
        for (element, _) in pairs_of(tree) {
            self.add(&mut scope, element, depth)?;
        }
        Ok(scope)
    }

    fn add(&mut self, scope: &mut Scope, element: &Element, depth: usize) -> Result<(), Problem> {
        let line = element.line;
        let template = |name: &str| Template::read(element.text_of(name), line);
        check(element, depth)?;
        match element.tag.as_str() {
            "HeaderManager" => add_headers(scope, element)?,
            "ConfigTestElement" => set_defaults(scope, element)?,
            "Arguments" => {
                for (name, value) in arguments(Some(element))? {
                    scope.variables.retain(|(known, _)| *known != name);
                    scope.variables.push((name, value));
                }
            }
            "CSVDataSet" => {
                scope.data.push(self.data.len());
                self.data.push(data_set(element)?);
            }
            "CounterConfig" => scope.counters.push(Counter {
                name: element.text_of("CounterConfig.name").to_owned(),
                start: template("CounterConfig.start")?,
                step: template("CounterConfig.incr")?,
                end: template("CounterConfig.end")?,
                by_thread: element.is_true("CounterConfig.per_user"),
                number: self.controller(),
            }),
            "ConstantTimer" => scope.pause.push(Pause {
                least: template("ConstantTimer.delay")?,
                range: Template::default(),
            }),
            "UniformRandomTimer" => scope.pause.push(Pause {
                least: template("ConstantTimer.delay")?,
                range: template("RandomTimer.range")?,
            }),
            "ResponseAssertion" => scope.assertions.push(Assertion::response(element)?),
            "DurationAssertion" => {
                let most = template("DurationAssertion.duration")?;
                scope.assertions.push(Assertion::Duration(most));
            }
            "JSONPostProcessor" => scope.after.push(After::Extract(Extractor::json(element)?)),
            "RegexExtractor" => scope.after.push(After::Extract(Extractor::regex(element)?)),
            "JSR223PostProcessor" | "BeanShellPostProcessor" => {
                scope.after.push(After::Run(Script::read(element)?));
            }
            "SetupThreadGroup" | "ThreadGroup" | "PostThreadGroup" if depth == 0 => {}
            "HTTPSamplerProxy"
            | "LoopController"
            | "GenericController"
            | "OnceOnlyController"
            | "ThroughputController"
            | "TransactionController"
                if depth > 0 => {}
            // Listeners show and store: this run has its own figures.
            "ResultCollector" | "Summariser" | "BackendListener" | "TestFragmentController" => {}
            other => {
                let message = format!("{other} ({:?}) is not taken.", element.name());
                return Err(Problem::new(line, message));
            }
        }
        Ok(())
    }

    fn group(
        &mut self,
        element: &Element,
        time: Time,
        outer: &Scope,
        tree: Option<&Element>,
    ) -> Result<Group, Problem> {
        let line = element.line;
        let template = |name: &str| Template::read(element.text_of(name), line);
        let inner = self.scope(outer, tree, 1)?;
        let items = self.items(&inner, tree)?;
        let controller = element.property("ThreadGroup.main_controller");
        let loops = controller.map_or("1", |controller| controller.text_of("LoopController.loops"));
        let forever = controller.is_some_and(|own| own.is_true("LoopController.continue_forever"));
        let loops = match loops {
            "-1" => None,
            "" if forever => None,
            loops => Some(Template::read(loops, line)?),
        };
        let scheduled = element.is_true("ThreadGroup.scheduler");
        let on_error = match element.text_of("ThreadGroup.on_sample_error") {
            "" | "continue" => OnError::Continue,
            "startnextloop" => OnError::NextLoop,
            "stopthread" => OnError::StopThread,
            _ => OnError::StopTest,
        };
        Ok(Group {
            name: element.name().to_owned(),
            time,
            threads: template("ThreadGroup.num_threads")?,
            ramp: template("ThreadGroup.ramp_time")?,
            loops,
            duration: match scheduled && !element.text_of("ThreadGroup.duration").is_empty() {
                true => Some(template("ThreadGroup.duration")?),
                false => None,
            },
            delay: if scheduled { template("ThreadGroup.delay")? } else { Template::default() },
            on_error,
            variables: inner.variables,
            data: inner.data,
            counters: inner.counters,
            items,
            line,
        })
    }

    fn items(&mut self, scope: &Scope, tree: Option<&Element>) -> Result<Vec<Item>, Problem> {
        let mut items = Vec::new();
        for (element, below) in pairs_of(tree) {
            items.extend(self.item(scope, element, below)?);
        }
        Ok(items)
    }

    fn item(
        &mut self,
        outer: &Scope,
        element: &Element,
        tree: Option<&Element>,
    ) -> Result<Option<Item>, Problem> {
        let line = element.line;
        let is_sampler = element.tag == "HTTPSamplerProxy";
        if !is_sampler && !element.tag.ends_with("Controller") {
            return Ok(None);
        }
        let scope = self.scope(outer, tree, 2)?;
        if is_sampler {
            return Ok(Some(Item::Sampler(Box::new(sampler(element, scope)?))));
        }
        let items = self.items(&scope, tree)?;
        Ok(Some(match element.tag.as_str() {
            "GenericController" => Item::Simple(items),
            "LoopController" => {
                let times = element.text_of("LoopController.loops");
                let forever = times == "-1"
                    || element.is_true("LoopController.continue_forever") && times.is_empty();
                let times = (!forever).then(|| Template::read(times, line)).transpose()?;
                Item::Loop { times, items }
            }
            "OnceOnlyController" => Item::Once { number: self.controller(), items },
            "TransactionController" => {
                Item::Transaction { name: Template::read(element.name(), line)?, items }
            }
            "ThroughputController" => Item::Throughput {
                number: self.controller(),
                share: share(element)?,
                by_thread: element.is_true("ThroughputController.perThread"),
                items,
            },
            other => {
                let message = format!("{other} ({:?}) is not taken.", element.name());
                return Err(Problem::new(line, message));
            }
        }))
    }
}

/// Rejects what an element says beside its kind, where it would be taken for something else.
fn check(element: &Element, depth: usize) -> Result<(), Problem> {
    let tag = element.tag.as_str();
    let of_variable = ["Sample.scope", "Assertion.scope"].map(|name| element.text_of(name));
    let is_group_wise = tag == "CSVDataSet" && element.text_of("shareMode") == "shareMode.group";
    let why = if of_variable.contains(&"variable") {
        "applies to a variable, which is not taken"
    } else if depth > 1 && ["Arguments", "CSVDataSet", "CounterConfig"].contains(&tag) {
        "is taken only in the plan and in thread groups"
    } else if !element.text_of("CounterConfig.format").is_empty() {
        "has a number format, which is not taken"
    } else if depth == 0 && is_group_wise {
        "is read by each group for itself, which is taken only in a thread group"
    } else {
        return Ok(());
    };
    Err(Problem::new(element.line, format!("{tag} ({:?}) {why}.", element.name())))
}

/// A share of the iterations: style 1 is percent. The value is a property of its own for numbers and for texts.
fn share(element: &Element) -> Result<Share, Problem> {
    let is_percent = element.text_of("ThroughputController.style") == "1";
    let name = match is_percent {
        true => "ThroughputController.percentThroughput",
        false => "ThroughputController.maxThroughput",
    };
    let float = element.children.iter().find(|child| {
        child.tag == "FloatProperty"
            && child.children.iter().any(|part| part.tag == "name" && part.text == name)
    });
    let value = float.and_then(|float| float.children.iter().find(|part| part.tag == "value"));
    let text = match element.property(name) {
        Some(property) => &property.text,
        None => value.map_or("", |value| value.text.as_str()),
    };
    let text = Template::read(text, element.line)?;
    Ok(if is_percent { Share::Percent(text) } else { Share::Number(text) })
}

/// Adds the headers of a manager; the nearer manager's header replaces one of the same name.
fn add_headers(scope: &mut Scope, element: &Element) -> Result<(), Problem> {
    for header in element.collection("HeaderManager.headers") {
        let text = |name: &str| Template::read(header.text_of(name), header.line);
        let (name, value) = (text("Header.name")?, text("Header.value")?);
        let same = |known: &Template| match (known.constant(), name.constant()) {
            (Some(known), Some(name)) => known.eq_ignore_ascii_case(name),
            _ => false,
        };
        scope.headers.retain(|(known, _)| !same(known));
        scope.headers.push((name, value));
    }
    Ok(())
}

/// Takes the defaults of requests.
fn set_defaults(scope: &mut Scope, element: &Element) -> Result<(), Problem> {
    for (part, name) in [
        (&mut scope.protocol, "HTTPSampler.protocol"),
        (&mut scope.domain, "HTTPSampler.domain"),
        (&mut scope.port, "HTTPSampler.port"),
        (&mut scope.path, "HTTPSampler.path"),
    ] {
        let given = Template::read(element.text_of(name), element.line)?;
        if !given.is_empty() {
            *part = given;
        }
    }
    Ok(())
}

fn arguments(element: Option<&Element>) -> Result<Vec<(String, Template)>, Problem> {
    let list = element.map_or(&[][..], |element| element.collection("Arguments.arguments"));
    let pair = |argument: &Element| {
        let value = Template::read(argument.text_of("Argument.value"), argument.line)?;
        Ok((argument.text_of("Argument.name").to_owned(), value))
    };
    list.iter().map(pair).collect()
}

fn data_set(element: &Element) -> Result<DataSet, Problem> {
    let names = element.text_of("variableNames");
    let delimiter = match element.text_of("delimiter") {
        "\\t" => '\t',
        text => text.chars().next().unwrap_or(','),
    };
    let share = element.text_of("shareMode");
    if !["", "shareMode.all", "shareMode.group", "shareMode.thread"].contains(&share) {
        let message = format!("A data set is shared in a way that is not taken: {share:?}.");
        return Err(Problem::new(element.line, message));
    }
    let names = names.split(delimiter).map(|name| name.trim().to_owned());
    Ok(DataSet {
        file: Template::read(element.text_of("filename"), element.line)?,
        names: names.filter(|name| !name.is_empty()).collect(),
        delimiter,
        skips_first: element.is_true("ignoreFirstLine"),
        recycles: element.text_of("recycle") != "false",
        stops_thread: element.is_true("stopThread"),
        quoted: element.is_true("quotedData"),
        by_thread: share == "shareMode.thread",
        line: element.line,
    })
}

fn sampler(element: &Element, scope: Scope) -> Result<Sampler, Problem> {
    let line = element.line;
    let own = |name: &str, default: Template| {
        let given = Template::read(element.text_of(name), line)?;
        Ok(if given.is_empty() { default } else { given })
    };
    if !element.collection("HTTPsampler.Files").is_empty()
        || element.is_true("HTTPSampler.DO_MULTIPART_POST")
    {
        return Err(Problem::new(line, "A sampler that sends files or multipart is not taken."));
    }
    let arguments = element.property("HTTPsampler.Arguments");
    let arguments = arguments.map_or(&[][..], |own| own.collection("Arguments.arguments"));
    let body = match element.is_true("HTTPSampler.postBodyRaw") {
        true => {
            let texts = arguments.iter();
            let texts = texts.map(|one| Template::read(one.text_of("Argument.value"), one.line));
            Body::Raw(texts.collect::<Result<_, _>>()?)
        }
        false => {
            let one = |one: &Element| {
                Ok(Parameter {
                    name: Template::read(one.text_of("Argument.name"), one.line)?,
                    value: Template::read(one.text_of("Argument.value"), one.line)?,
                    encode: one.is_true("HTTPArgument.always_encode"),
                })
            };
            Body::Parameters(arguments.iter().map(one).collect::<Result<_, Problem>>()?)
        }
    };
    Ok(Sampler {
        name: Template::read(element.name(), line)?,
        method: own("HTTPSampler.method", Template::read("GET", line)?)?,
        protocol: own("HTTPSampler.protocol", scope.protocol)?,
        domain: own("HTTPSampler.domain", scope.domain)?,
        port: own("HTTPSampler.port", scope.port)?,
        path: own("HTTPSampler.path", scope.path)?,
        body,
        headers: scope.headers,
        follows: Follows {
            all: element.is_true("HTTPSampler.follow_redirects"),
            reads: element.is_true("HTTPSampler.auto_redirects"),
        },
        pause: scope.pause,
        assertions: scope.assertions,
        after: scope.after,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(inside: &str) -> Result<Plan, Problem> {
        read(&format!(
            "<jmeterTestPlan>\n<hashTree>\n<TestPlan testname=\"P\"/>\n<hashTree>\n<ThreadGroup testname=\"G\"/>\n<hashTree>\n{inside}</hashTree></hashTree></hashTree></jmeterTestPlan>"
        ))
    }

    #[test]
    fn what_cannot_be_taken_has_its_line() {
        for (inside, name) in [
            ("<WhileController testname=\"w\"/>\n<hashTree/>", "WhileController"),
            ("<CookieManager testname=\"c\"/>", "CookieManager"),
            ("<HTTPSamplerProxy testname=\"${__groovy(1)}\"/>\n<hashTree/>", "__groovy"),
            (
                "<RegexExtractor testname=\"r\"><stringProp name=\"Sample.scope\">variable</stringProp></RegexExtractor>",
                "variable",
            ),
            (
                "<GenericController testname=\"g\"/><hashTree><CSVDataSet testname=\"d\"/></hashTree>",
                "CSVDataSet",
            ),
        ] {
            let problem = plan(inside).unwrap_err();
            assert!(problem.line == 7 && problem.message.contains(name), "{problem}");
        }
        assert_eq!(read("<a/>").unwrap_err().line, 1);
    }

    #[test]
    fn headers_apply_to_their_scope() {
        let header = |value: &str| {
            format!(
                "<HeaderManager><collectionProp name=\"HeaderManager.headers\"><elementProp><stringProp name=\"Header.name\">X</stringProp><stringProp name=\"Header.value\">{value}</stringProp></elementProp></collectionProp></HeaderManager><hashTree/>"
            )
        };
        let inside = format!(
            "{}<HTTPSamplerProxy testname=\"a\"/><hashTree/><HTTPSamplerProxy testname=\"b\"/><hashTree>{}</hashTree><HTTPSamplerProxy testname=\"c\" enabled=\"false\"/><hashTree/>",
            header("1"),
            header("2")
        );
        let plan = plan(&inside).unwrap();
        let [Item::Sampler(a), Item::Sampler(b)] = &plan.groups[0].items[..] else {
            panic!("two samplers");
        };
        let values = [a, b].map(|sampler| sampler.headers[0].1.constant().map(str::to_owned));
        assert_eq!(values, [Some("1".to_owned()), Some("2".to_owned())]);
        assert_eq!(b.headers.len(), 1);
    }
}
