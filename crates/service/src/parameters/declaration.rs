//! What the declaration of a query parameter says.

/// A query parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParameterDeclaration {
    /// Its name.
    pub name: &'static str,
    /// Its component in OpenAPI documents; empty where they do not describe it.
    pub component: &'static str,
    /// What it says, for OpenAPI documents. Some add what depends on the resource.
    pub text: &'static str,
    /// Its type, as a JSON Schema.
    pub schema: &'static str,
    /// What it is as a member of the body of a search.
    pub member: Option<BodyMember>,
    /// The error of a value that is none of its words.
    pub error: &'static str,
}

/// A parameter as a member of a body.
#[derive(Clone, Copy, Debug)]
pub struct BodyMember {
    /// What it says; empty where that depends on the resource.
    pub text: &'static str,
    /// Its type, as a JSON Schema.
    pub schema: &'static str,
}

impl ParameterDeclaration {
    /// A parameter without further words.
    pub(super) const fn new(
        [name, component]: [&'static str; 2],
        text: &'static str,
        schema: &'static str,
    ) -> Self {
        Self { name, component, text, schema, member: None, error: "" }
    }

    pub(super) const fn in_body(mut self, text: &'static str, schema: &'static str) -> Self {
        self.member = Some(BodyMember { text, schema });
        self
    }

    pub(super) const fn error(mut self, error: &'static str) -> Self {
        self.error = error;
        self
    }
}

/// The names of parameters.
pub const fn names<const N: usize>(parameters: [&ParameterDeclaration; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = parameters[at].name;
        at += 1;
    }
    names
}
