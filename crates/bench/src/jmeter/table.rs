//! What is taken of JMeter's plans: the table that drives the compiler, its refusals and the manual.

/// What a property of an element means here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyRule {
    /// It is taken.
    Taken,
    /// It changes nothing that is sent or measured.
    Idle,
    /// It is taken with these values alone; an empty one is always right.
    Only(&'static [&'static str]),
}

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The plan.
    Plan,
    /// Groups of threads.
    Group,
    /// Requests and actions.
    Sampler,
    /// Controllers.
    Controller,
    /// Settings, values and data of their scope.
    Config,
    /// Scripts before a request.
    Before,
    /// What takes values out of responses.
    After,
    /// Checks of responses.
    Assertion,
    /// Pauses before requests.
    Timer,
    /// What shows and stores; passed over, as this run has its own results.
    Listener,
}

/// An element that is taken.
#[derive(Clone, Copy, Debug)]
pub struct ElementRow {
    /// Its tag in the XML.
    pub tag: &'static str,
    /// What it is.
    pub part: Part,
    /// What is taken of it, for the manual; it may be said with an earlier row.
    pub about: &'static str,
    /// Its properties. Others are refused, unless they are empty or `false`.
    pub properties: &'static [(&'static str, PropertyRule)],
}

const fn row(
    tag: &'static str,
    part: Part,
    about: &'static str,
    properties: &'static [(&'static str, PropertyRule)],
) -> ElementRow {
    ElementRow { tag, part, about, properties }
}

use PropertyRule::{Idle, Only, Taken};

const GROUP: &[(&str, PropertyRule)] = &[
    ("ThreadGroup.main_controller", Taken),
    ("ThreadGroup.num_threads", Taken),
    ("ThreadGroup.ramp_time", Taken),
    ("ThreadGroup.scheduler", Taken),
    ("ThreadGroup.duration", Taken),
    ("ThreadGroup.delay", Taken),
    ("ThreadGroup.on_sample_error", Taken),
    ("ThreadGroup.same_user_on_next_iteration", Taken),
    ("ThreadGroup.delayedStart", Idle),
    ("ThreadGroup.start_time", Idle),
    ("ThreadGroup.end_time", Idle),
];

const HTTP: &[(&str, PropertyRule)] = &[
    ("HTTPsampler.Arguments", Taken),
    ("HTTPSampler.domain", Taken),
    ("HTTPSampler.port", Taken),
    ("HTTPSampler.protocol", Taken),
    ("HTTPSampler.path", Taken),
    ("HTTPSampler.method", Taken),
    ("HTTPSampler.postBodyRaw", Taken),
    ("HTTPSampler.follow_redirects", Taken),
    ("HTTPSampler.auto_redirects", Taken),
    ("HTTPSampler.use_keepalive", Taken),
    ("HTTPSampler.connect_timeout", Taken),
    ("HTTPSampler.response_timeout", Taken),
    ("HTTPSampler.contentEncoding", Only(&["UTF-8", "utf-8", "UTF8", "utf8"])),
    ("HTTPSampler.image_parser", Only(&["false"])),
    ("HTTPSampler.DO_MULTIPART_POST", Only(&["false"])),
    ("HTTPsampler.Files", Only(&[])),
    ("HTTPSampler.ipSource", Only(&[])),
    ("HTTPSampler.proxyHost", Only(&[])),
    ("HTTPSampler.md5", Only(&["false"])),
    ("HTTPSampler.monitor", Idle),
    ("HTTPSampler.implementation", Idle),
    ("HTTPSampler.concurrentDwn", Idle),
    ("HTTPSampler.concurrentPool", Idle),
    ("HTTPSampler.embedded_url_re", Idle),
    ("HTTPSampler.embedded_url_exclude_re", Idle),
    ("HTTPSampler.ipSourceType", Idle),
    ("HTTPSampler.proxyScheme", Idle),
    ("HTTPSampler.proxyPort", Idle),
    ("HTTPSampler.BROWSER_COMPATIBLE_MULTIPART", Idle),
];

const SCRIPT: &[(&str, PropertyRule)] = &[
    ("script", Taken),
    ("BeanShellPostProcessor.script", Taken),
    ("filename", Only(&[])),
    ("BeanShellPostProcessor.filename", Only(&[])),
    ("scriptLanguage", Idle),
    ("cacheKey", Idle),
    ("parameters", Idle),
    ("resetInterpreter", Idle),
    ("BeanShellPostProcessor.parameters", Idle),
    ("BeanShellPostProcessor.resetInterpreter", Idle),
];

/// All elements that are taken.
pub const TABLE: &[ElementRow] = &[
    row(
        "TestPlan",
        Part::Plan,
        "variables, and whether groups run one after the other",
        &[
            ("TestPlan.user_defined_variables", Taken),
            ("TestPlan.serialize_threadgroups", Taken),
            ("TestPlan.functional_mode", Idle),
            ("TestPlan.tearDown_on_shutdown", Taken),
            ("TestPlan.user_define_classpath", Only(&[])),
        ],
    ),
    row("SetupThreadGroup", Part::Group, "before the load, one after the other", GROUP),
    row(
        "ThreadGroup",
        Part::Group,
        "threads, ramp-up, loops, duration, delay, and what a failed sample stops",
        GROUP,
    ),
    row(
        "PostThreadGroup",
        Part::Group,
        "after the load; where it was stopped, if the plan says so",
        GROUP,
    ),
    row(
        "HTTPSamplerProxy",
        Part::Sampler,
        "HTTP requests with bodies, parameters, redirects and timeouts; no files and no embedded resources",
        HTTP,
    ),
    row(
        "TestAction",
        Part::Sampler,
        "flow control: pauses, next iteration, next or last pass of a loop, the end of the thread or of all",
        &[
            ("ActionProcessor.action", Taken),
            ("ActionProcessor.target", Taken),
            ("ActionProcessor.duration", Taken),
        ],
    ),
    row("GenericController", Part::Controller, "simple", &[]),
    row(
        "LoopController",
        Part::Controller,
        "loop",
        &[("LoopController.loops", Taken), ("LoopController.continue_forever", Taken)],
    ),
    row(
        "IfController",
        Part::Controller,
        "if: comparisons of two texts in quotes or two numbers, joined by and, or and not, also as `__jexl3` and `__groovy` of these; a text with a number as JavaScript and JEXL do",
        &[
            ("IfController.condition", Taken),
            ("IfController.evaluateAll", Taken),
            ("IfController.useExpression", Idle),
        ],
    ),
    row(
        "WhileController",
        Part::Controller,
        "while: the same in `__jexl3` or `__groovy`, a value, blank and `LAST`",
        &[("WhileController.condition", Taken)],
    ),
    row(
        "ForeachController",
        Part::Controller,
        "for each",
        &[
            ("ForeachController.inputVal", Taken),
            ("ForeachController.returnVal", Taken),
            ("ForeachController.useSeparator", Taken),
            ("ForeachController.startIndex", Taken),
            ("ForeachController.endIndex", Taken),
        ],
    ),
    row("OnceOnlyController", Part::Controller, "once only", &[]),
    row(
        "InterleaveControl",
        Part::Controller,
        "interleave, by each thread",
        &[
            ("InterleaveControl.style", Only(&["0", "1"])),
            ("InterleaveControl.accrossThreads", Only(&["false"])),
        ],
    ),
    row(
        "RandomController",
        Part::Controller,
        "random",
        &[("InterleaveControl.style", Only(&["0", "1"]))],
    ),
    row("RandomOrderController", Part::Controller, "random order", &[]),
    row(
        "SwitchController",
        Part::Controller,
        "switch, by number or name",
        &[("SwitchController.value", Taken)],
    ),
    row("RunTime", Part::Controller, "runtime", &[("RunTime.seconds", Taken)]),
    row(
        "ModuleController",
        Part::Controller,
        "module: the part of the plan that it names",
        &[("ModuleController.node_path", Taken)],
    ),
    row(
        "IncludeController",
        Part::Controller,
        "include: the fragment of a file beside the plan",
        &[("IncludeController.includepath", Taken)],
    ),
    row(
        "ThroughputController",
        Part::Controller,
        "throughput: percent or number, of all threads or each",
        &[
            ("ThroughputController.style", Only(&["0", "1"])),
            ("ThroughputController.perThread", Taken),
            ("ThroughputController.maxThroughput", Taken),
            ("ThroughputController.percentThroughput", Taken),
        ],
    ),
    row(
        "TransactionController",
        Part::Controller,
        "transaction, with or without pauses, beside its samples or instead of them",
        &[("TransactionController.includeTimers", Taken), ("TransactionController.parent", Taken)],
    ),
    row("ConfigTestElement", Part::Config, "HTTP defaults", HTTP),
    row(
        "HeaderManager",
        Part::Config,
        "headers; the nearer one replaces one of its name",
        &[("HeaderManager.headers", Taken)],
    ),
    row(
        "CookieManager",
        Part::Config,
        "cookies of the plan and those that servers set, also for one iteration",
        &[
            ("CookieManager.clearEachIteration", Taken),
            ("CookieManager.cookies", Taken),
            ("CookieManager.controlledByThreadGroup", Taken),
            (
                "CookieManager.policy",
                Only(&[
                    "standard",
                    "default",
                    "standard-strict",
                    "rfc2109",
                    "compatibility",
                    "netscape",
                ]),
            ),
            ("CookieManager.implementation", Idle),
        ],
    ),
    row(
        "AuthManager",
        Part::Config,
        "names and passwords, sent with each request (`BASIC`)",
        &[("AuthManager.auth_list", Taken), ("AuthManager.controlledByThreadGroup", Idle)],
    ),
    row(
        "CacheManager",
        Part::Config,
        "responses that are asked for again with `If-None-Match` and `If-Modified-Since`, or not while they are fresh",
        &[
            ("useExpires", Taken),
            ("clearEachIteration", Taken),
            ("maxSize", Idle),
            ("CacheManager.controlledByThread", Taken),
        ],
    ),
    row(
        "Arguments",
        Part::Config,
        "user defined variables, computed once before the run",
        &[("Arguments.arguments", Taken)],
    ),
    row(
        "CSVDataSet",
        Part::Config,
        "CSV data sets, shared by all threads or read by each",
        &[
            ("filename", Taken),
            ("variableNames", Taken),
            ("delimiter", Taken),
            ("ignoreFirstLine", Taken),
            ("recycle", Taken),
            ("stopThread", Taken),
            ("quotedData", Taken),
            ("shareMode", Taken),
            ("fileEncoding", Only(&["UTF-8", "utf-8", "UTF8", "utf8"])),
        ],
    ),
    row(
        "CounterConfig",
        Part::Config,
        "counters",
        &[
            ("CounterConfig.name", Taken),
            ("CounterConfig.start", Taken),
            ("CounterConfig.incr", Taken),
            ("CounterConfig.end", Taken),
            ("CounterConfig.per_user", Taken),
            ("CounterConfig.format", Taken),
            ("CounterConfig.reset_on_tg_iteration", Only(&["false"])),
        ],
    ),
    row(
        "RandomVariableConfig",
        Part::Config,
        "random variables",
        &[
            ("variableName", Taken),
            ("minimumValue", Taken),
            ("maximumValue", Taken),
            ("outputFormat", Taken),
            ("perThread", Idle),
            ("randomSeed", Only(&[])),
        ],
    ),
    row(
        "UserParameters",
        Part::Before,
        "user parameters, for each iteration or each sample",
        &[
            ("UserParameters.names", Taken),
            ("UserParameters.thread_values", Taken),
            ("UserParameters.per_iteration", Taken),
        ],
    ),
    row(
        "JSR223PreProcessor",
        Part::Before,
        "JSR223 and BeanShell scripts whose statements are `props.put(…)` and `vars.put(…)` of texts or of `vars.get(…)` and `props.get(…)`, and `log.…`",
        SCRIPT,
    ),
    row("BeanShellPreProcessor", Part::Before, "", SCRIPT),
    row("JSR223PostProcessor", Part::After, "the same scripts", SCRIPT),
    row("BeanShellPostProcessor", Part::After, "", SCRIPT),
    row(
        "JSONPostProcessor",
        Part::After,
        "JSON paths of members, `[n]`, `[*]`, `..name` and filters",
        &[
            ("JSONPostProcessor.referenceNames", Taken),
            ("JSONPostProcessor.jsonPathExprs", Taken),
            ("JSONPostProcessor.match_numbers", Taken),
            ("JSONPostProcessor.defaultValues", Taken),
            ("JSONPostProcessor.compute_concat", Taken),
            ("Sample.scope", Only(&["all", "parent", "variable"])),
            ("Scope.variable", Taken),
        ],
    ),
    row(
        "JMESPathExtractor",
        Part::After,
        "expressions of JMESPath, known before the run",
        &[
            ("JMESExtractor.referenceName", Taken),
            ("JMESExtractor.jmesPathExpr", Taken),
            ("JMESExtractor.matchNumber", Taken),
            ("JMESExtractor.defaultValue", Taken),
            ("Sample.scope", Only(&["all", "parent", "variable"])),
            ("Scope.variable", Taken),
        ],
    ),
    row(
        "RegexExtractor",
        Part::After,
        "regular expressions of content, headers, status, URL, request headers or a variable",
        &[
            ("RegexExtractor.useHeaders", Taken),
            ("RegexExtractor.refname", Taken),
            ("RegexExtractor.regex", Taken),
            ("RegexExtractor.template", Taken),
            ("RegexExtractor.default", Taken),
            ("RegexExtractor.default_empty_value", Taken),
            ("RegexExtractor.match_number", Taken),
            ("Sample.scope", Only(&["all", "parent", "variable"])),
            ("Scope.variable", Taken),
        ],
    ),
    row(
        "HtmlExtractor",
        Part::After,
        "selectors of CSS known before the run, by jsoup; without `:contains`, `:eq` and the like",
        &[
            ("HtmlExtractor.refname", Taken),
            ("HtmlExtractor.expr", Taken),
            ("HtmlExtractor.attribute", Taken),
            ("HtmlExtractor.default", Taken),
            ("HtmlExtractor.default_empty_value", Taken),
            ("HtmlExtractor.match_number", Taken),
            ("HtmlExtractor.extractor_impl", Only(&["JSOUP"])),
            ("Sample.scope", Only(&["all", "parent", "variable"])),
            ("Scope.variable", Taken),
        ],
    ),
    row(
        "BoundaryExtractor",
        Part::After,
        "what is between two texts",
        &[
            ("BoundaryExtractor.useHeaders", Taken),
            ("BoundaryExtractor.refname", Taken),
            ("BoundaryExtractor.lboundary", Taken),
            ("BoundaryExtractor.rboundary", Taken),
            ("BoundaryExtractor.default", Taken),
            ("BoundaryExtractor.default_empty_value", Taken),
            ("BoundaryExtractor.match_number", Taken),
            ("Sample.scope", Only(&["all", "parent", "variable"])),
            ("Scope.variable", Taken),
        ],
    ),
    row(
        "ResponseAssertion",
        Part::Assertion,
        "status, content, headers, URL, request or a variable: equals, contains, matches, substring, each negated or any of several",
        &[
            ("Asserion.test_strings", Taken),
            ("Assertion.test_field", Taken),
            ("Assertion.test_type", Taken),
            ("Assertion.assume_success", Taken),
            ("Assertion.custom_message", Idle),
            ("Assertion.scope", Only(&["all", "parent", "variable"])),
            ("Scope.variable", Taken),
        ],
    ),
    row(
        "SizeAssertion",
        Part::Assertion,
        "the size of content, headers, status or message",
        &[
            ("SizeAssertion.size", Taken),
            ("SizeAssertion.operator", Taken),
            ("Assertion.test_field", Taken),
            ("Assertion.scope", Only(&["all", "parent", "variable"])),
            ("Scope.variable", Taken),
        ],
    ),
    row(
        "JSONPathAssertion",
        Part::Assertion,
        "a JSON path that is there, is null, has a value or matches a regular expression",
        &[
            ("JSON_PATH", Taken),
            ("EXPECTED_VALUE", Taken),
            ("JSONVALIDATION", Taken),
            ("EXPECT_NULL", Taken),
            ("INVERT", Taken),
            ("ISREGEX", Taken),
        ],
    ),
    row(
        "JMESPathAssertion",
        Part::Assertion,
        "an expression of JMESPath that finds something, null, a value or what matches a regular expression",
        &[
            ("JMES_PATH", Taken),
            ("EXPECTED_VALUE", Taken),
            ("JSONVALIDATION", Taken),
            ("EXPECT_NULL", Taken),
            ("INVERT", Taken),
            ("ISREGEX", Taken),
        ],
    ),
    row(
        "DurationAssertion",
        Part::Assertion,
        "a longest time",
        &[("DurationAssertion.duration", Taken), ("Assertion.scope", Only(&["all", "parent"]))],
    ),
    row("ConstantTimer", Part::Timer, "constant", &[("ConstantTimer.delay", Taken)]),
    row(
        "UniformRandomTimer",
        Part::Timer,
        "uniform random",
        &[("ConstantTimer.delay", Taken), ("RandomTimer.range", Taken)],
    ),
    row(
        "GaussianRandomTimer",
        Part::Timer,
        "Gaussian random",
        &[("ConstantTimer.delay", Taken), ("RandomTimer.range", Taken)],
    ),
    row(
        "PoissonRandomTimer",
        Part::Timer,
        "Poisson random",
        &[("ConstantTimer.delay", Taken), ("RandomTimer.range", Taken)],
    ),
    row(
        "ConstantThroughputTimer",
        Part::Timer,
        "constant throughput, in all five ways to count",
        &[("throughput", Taken), ("calcMode", Taken)],
    ),
    row("ResultCollector", Part::Listener, "all of them", &[]),
    row("Summariser", Part::Listener, "", &[]),
    row("BackendListener", Part::Listener, "", &[]),
    row("TestFragmentController", Part::Listener, "fragments, which nothing includes", &[]),
];

/// The row of a tag.
pub fn of(tag: &str) -> Option<&'static ElementRow> {
    TABLE.iter().find(|row| row.tag == tag)
}

/// The rows of the manual's table.
pub fn manual() -> String {
    let parts = [
        (Part::Plan, "plan"),
        (Part::Group, "groups"),
        (Part::Sampler, "samplers"),
        (Part::Controller, "controllers"),
        (Part::Config, "settings and values"),
        (Part::Before, "pre processors"),
        (Part::After, "post processors"),
        (Part::Assertion, "assertions"),
        (Part::Timer, "timers"),
        (Part::Listener, "passed over"),
    ];
    let mut text = String::from("| part | element | what |\n|---|---|---|\n");
    for (part, name) in parts {
        let mut name = name;
        for row in TABLE.iter().filter(|row| row.part == part) {
            text += &format!("| {name} | `{}` | {} |\n", row.tag, row.about);
            name = "";
        }
    }
    let functions = crate::workload::file::functions::FUNCTIONS;
    let mut name = "functions";
    for row in functions.iter().filter(|row| !row.jmeter.is_empty()) {
        let names: Vec<String> = row.jmeter.iter().map(|name| format!("`{name}`")).collect();
        text += &format!("| {name} | {} | {} |\n", names.join(", "), row.about);
        name = "";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_has_one_row() {
        for (at, row) in TABLE.iter().enumerate() {
            assert!(!TABLE[..at].iter().any(|other| other.tag == row.tag), "{}", row.tag);
            let names: Vec<&str> = row.properties.iter().map(|(name, _)| *name).collect();
            for (at, name) in names.iter().enumerate() {
                assert!(!names[..at].contains(name), "{} {name}", row.tag);
            }
        }
    }

    /// `DUET_ACCEPT=1` writes the table of the manual again.
    #[test]
    fn the_manual_has_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/bench-jmeter.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (start, end) = ("<!-- taken: written by crates/bench -->\n", "<!-- end of taken -->");
        let (before, rest) = page.split_once(start).unwrap();
        let (table, after) = rest.split_once(end).unwrap();
        let text = manual();
        if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
            std::fs::write(path, format!("{before}{start}{text}{end}{after}")).unwrap();
            return;
        }
        assert_eq!(table, text, "docs/bench-jmeter.md is out of date: run with DUET_ACCEPT=1");
    }
}
