//! Error codes and the one error type that reaches a client.
//!
//! A code is permanent: it is never reused and never changes its status. The message says what the
//! client can do; the cause is only for the log and may contain SQL, files or hosts.

use std::borrow::Cow;
use std::fmt;

/// A result with Duet's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $status:literal, $title:literal;)*) => {
        /// A permanent error code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $variant,)* }

        impl Code {
            /// All codes, in the order of the manual.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The code as clients see it, such as `DUET-2004`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }

            /// The code of this name, such as `DUET-2004`.
            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str() == name)
            }

            /// The HTTP status of the code.
            pub fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)* }
            }

            /// The title: a short description.
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }
        }
    };
}

codes! {
    /// No resource is served at the path.
    NotServed = "DUET-1001", 404, "Nothing is served at this path";
    /// The resource exists, but the item does not.
    NoSuchItem = "DUET-1002", 404, "There is no item with this key";
    /// The resource does not allow the method.
    MethodNotAllowed = "DUET-1003", 405, "This method is not allowed here";
    /// The key in the path is malformed.
    BadKey = "DUET-1004", 404, "The key in the path cannot be a key of this resource";
    /// A query parameter is unknown or has an invalid value.
    BadParameter = "DUET-1005", 400, "A query parameter is wrong";
    /// The request line, a header or the path is malformed.
    BadRequest = "DUET-1006", 400, "The request is malformed";
    /// None of the media types in `Accept` is offered.
    NotAcceptable = "DUET-1007", 406, "No acceptable media type";
    /// The path is longer than the limit.
    UriTooLong = "DUET-1008", 414, "The request target is too long";
    /// The headers are larger than the limit.
    HeadersTooLarge = "DUET-1009", 431, "The request headers are too large";
    /// The body is larger than the limit.
    BodyTooLarge = "DUET-1010", 413, "The request body is too large";
    /// The media type of the request is not supported.
    UnsupportedMediaType = "DUET-1011", 415, "The media type of the body is not supported";
    /// The body does not arrive in time.
    BodyTimeout = "DUET-1012", 408, "The request body came too slowly";
    /// The body of a POST search is invalid.
    SearchBody = "DUET-1013", 400, "The body of the search is not understood";
    /// `expand` names an unknown link.
    ExpandUnknown = "DUET-1014", 400, "Unknown name in `expand`";
    /// `expand` exceeds the limits.
    ExpandLimit = "DUET-1015", 400, "The expansion is too large";
    /// An expanded array has too many rows.
    ExpandRows = "DUET-1016", 422, "An expanded array has too many rows";
    /// The body has a transfer coding other than chunked.
    TransferCoding = "DUET-1019", 501, "The transfer coding is not implemented";
    /// Several items have the key of the path.
    AmbiguousKey = "DUET-1020", 409, "Several items have this key";
    /// Changes of this cannot be followed.
    LiveRefused = "DUET-1021", 400, "Changes of this cannot be followed";
    /// A query whose changes are followed selects more documents than it may.
    LiveTooLarge = "DUET-1022", 422, "Too many documents to follow";
    /// The server follows as many queries as it may.
    LiveLimit = "DUET-1023", 503, "The server follows as many queries as it may";
    /// The client has as many subscriptions as it may have.
    LiveClientLimit = "DUET-1024", 429, "The client has too many subscriptions";
    /// Events of a view that are not kept any more.
    ViewEventsGone = "DUET-1025", 410, "The events are not kept any more";
    /// The database has no place for events of views.
    ViewEventsNotPrepared = "DUET-1026", 501, "Events of views are not prepared";
    /// The filter is not JSON.
    FilterSyntax = "DUET-2001", 400, "The filter is not valid JSON";
    /// The filter violates the grammar.
    FilterGrammar = "DUET-2002", 400, "The filter is not understood";
    /// The filter names an unknown operator.
    FilterOperator = "DUET-2003", 400, "The filter uses an unknown operator";
    /// The filter names an unknown field.
    FilterField = "DUET-2004", 400, "The filter names an unknown field";
    /// An operand has the wrong type for the field or the operator.
    FilterOperand = "DUET-2005", 400, "An operand of the filter does not fit";
    /// An operator is used without a field.
    FilterContext = "DUET-2006", 400, "An operator of the filter has no field";
    /// The filter is deeper or larger than the limit.
    FilterLimit = "DUET-2007", 400, "The filter is too deep or too large";
    /// The filter uses a feature that is deliberately not supported.
    FilterUnsupported = "DUET-2008", 400, "The filter contains something that is not supported";
    /// Text contains a NUL character.
    NulCharacter = "DUET-2009", 400, "Text cannot contain the NUL character";
    /// The query is not CQL.
    CqlSyntax = "DUET-2010", 400, "The query is not valid CQL";
    /// No index serves the filter, and the resource refuses such filters.
    NoIndex = "DUET-2011", 400, "No index serves the filter";
    /// A view definition has a syntax error.
    ViewSyntax = "DUET-3001", 500, "The view definition is not understood";
    /// A view definition names an unknown table.
    ViewTable = "DUET-3002", 500, "The view definition names an unknown table";
    /// A view definition names an unknown column.
    ViewColumn = "DUET-3003", 500, "The view definition names an unknown column";
    /// A view definition has a missing or ambiguous join.
    ViewJoin = "DUET-3004", 500, "The view definition joins tables in a way that is not possible";
    /// A view definition has an invalid annotation.
    ViewAnnotation = "DUET-3005", 500, "The view definition has a wrong annotation";
    /// A view definition lacks identifying columns.
    ViewIdentity = "DUET-3006", 500, "The view definition does not expose a table's key";
    /// A view definition has a duplicate name.
    ViewDuplicate = "DUET-3007", 500, "The view definition has a member or node twice";
    /// A view definition is deeper or larger than the limit.
    ViewLimit = "DUET-3008", 500, "The view definition is too deep or too large";
    /// A view definition's predicate uses an unsupported construct.
    ViewPredicate = "DUET-3009", 500, "The view definition has a predicate that is not allowed";
    /// A statement of a service does not fit the database.
    ServiceStatement = "DUET-3101", 500, "A statement of a service does not fit the database";
    /// The body is not JSON, or has a duplicate member.
    BodySyntax = "DUET-7001", 400, "The body is not valid JSON";
    /// The body is deeper than the limit.
    BodyDepth = "DUET-7002", 400, "The body is too deep";
    /// The body has a member that the resource does not define.
    UnknownMember = "DUET-7003", 400, "The body has an unknown member";
    /// The body lacks a required member.
    MissingMember = "DUET-7004", 400, "The body lacks a member";
    /// A member's value does not fit its column, or has the wrong JSON type.
    MemberValue = "DUET-7005", 400, "A value of the body does not fit";
    /// The key in the body differs from the key in the path.
    KeyMismatch = "DUET-7006", 400, "The key in the body is not that of the path";
    /// The write needs an insert that is not allowed.
    NotInsertable = "DUET-7007", 400, "Rows may not be inserted here";
    /// The write needs a delete that is not allowed.
    NotDeletable = "DUET-7008", 400, "Rows may not be deleted here";
    /// The write changes a read-only member.
    NotUpdatable = "DUET-7009", 400, "A member may not be changed";
    /// A row cannot be removed from an array, because its link to its parent is NOT NULL.
    CannotUnlink = "DUET-7010", 409, "A row cannot be taken out of the document";
    /// The body contains one row several times with different values.
    Contradiction = "DUET-7011", 400, "The body says different things of one row";
    /// A row would no longer match the view's filter.
    OutsideView = "DUET-7012", 400, "A row would leave the view";
    /// The etag does not match the current state.
    PreconditionFailed = "DUET-7013", 412, "The document has changed meanwhile";
    /// An etag is required.
    PreconditionRequired = "DUET-7014", 428, "An etag is required";
    /// The database did not make the change, but reported no error.
    RowRefused = "DUET-7015", 409, "The database refused a change";
    /// A filter selects more documents than one request may change.
    TooManyDocuments = "DUET-7016", 422, "Too many documents for one request";
    /// An operation of a transaction failed; the transaction was rolled back.
    TransactionOperation = "DUET-7017", 400, "An operation of the transaction is wrong";
    /// The body has more values than the limit.
    BodyNodes = "DUET-7018", 400, "The body has too many values";
    /// A value of a request is outside of the limits that its service declares.
    OutsideLimits = "DUET-7019", 422, "A value is outside of its limits";
    /// The idempotency key is malformed or too long.
    IdempotencyKey = "DUET-7020", 400, "The idempotency key is malformed";
    /// The idempotency key was sent with another request before.
    IdempotencyMismatch = "DUET-7021", 422, "The idempotency key belongs to another request";
    /// A request with the same idempotency key is still running.
    IdempotencyInProgress = "DUET-7022", 409, "A request with this idempotency key is in progress";
    /// The table of idempotency keys was not made.
    IdempotencyNotPrepared = "DUET-7023", 501, "Idempotency keys are not prepared";
    /// The answer of a request with an idempotency key is too large to be stored.
    IdempotencyAnswer = "DUET-7024", 422, "The response is too large to be stored with an idempotency key";
    /// The request takes no idempotency key.
    IdempotencyNotTaken = "DUET-7025", 400, "The resource does not accept idempotency keys";
    /// The body gives a member that is always generated.
    MemberGenerated = "DUET-7026", 400, "A member is generated";
    /// A document breaks a rule of its view.
    RuleViolation = "DUET-7027", 422, "A document breaks a rule of its view";
    /// The ingest journal or its disk has no room for more rows.
    JournalFull = "DUET-7041", 503, "The journal is full";
    /// The ingest journal cannot be opened, read or written.
    JournalUnavailable = "DUET-7042", 503, "The journal cannot be used";
    /// The rows were acknowledged from the journal of another host.
    JournalElsewhere = "DUET-7043", 404, "The journal belongs to another host";
    /// No rows with these sequence ids were acknowledged.
    NoSuchSequence = "DUET-7044", 404, "There are no rows with these sequence ids";
    /// The commit class that the request asks for is not allowed for the resource.
    CommitClass = "DUET-7045", 403, "The commit class is not allowed for this resource";
    /// Files of the ingest journal are missing, with rows that were acknowledged.
    JournalMissing = "DUET-7046", 503, "Rows of the journal are missing";
    /// The document violates the JSON Schema of its collection.
    DocumentSchema = "DUET-7030", 422, "The document violates the schema of its collection";
    /// The document has another `_version` than the stored one.
    DocumentVersion = "DUET-7031", 409, "The document has changed since it was read";
    /// A unique value already exists.
    UniqueViolation = "DUET-7101", 409, "A unique value exists already";
    /// A row references a missing row, or is still referenced.
    ForeignKeyViolation = "DUET-7102", 409, "A reference between rows would break";
    /// A row violates a check constraint.
    CheckViolation = "DUET-7103", 422, "A value breaks a rule of its table";
    /// A value for a NOT NULL column is missing.
    NotNullViolation = "DUET-7104", 400, "A required value is missing";
    /// A row conflicts with another one under an exclusion constraint.
    ExclusionViolation = "DUET-7105", 409, "A row is in conflict with another one";
    /// A database trigger refused a change.
    TriggerRefused = "DUET-7106", 400, "A trigger or function of the database refused the change";
    /// The database is read-only.
    DatabaseReadOnly = "DUET-7107", 403, "The database is read-only";
    /// All attempts failed because of concurrent writers.
    WriteConflict = "DUET-7108", 503, "Other writes block this one";
    /// The connection or the file was lost during a commit.
    OutcomeUnknown = "DUET-7109", 500, "It is not known whether the change was made";
    /// The database's row security does not allow a row.
    RowSecurity = "DUET-7110", 403, "The database's row security does not allow the row";
    /// A computed column or a view that is not updatable.
    NotWritable = "DUET-7111", 400, "The database does not let this be written";
    /// The numbers that the database gives to new rows are used up.
    KeysExhausted = "DUET-7112", 409, "There is no number left for a new row";
    /// The body of a bulk load cannot be split into rows.
    LoadSyntax = "DUET-7201", 400, "The body of the load cannot be read";
    /// The header line of a CSV does not match the table's columns.
    LoadHeader = "DUET-7202", 400, "The first line of the CSV does not fit the table";
    /// A row of a bulk load is larger than the limit.
    LoadRecordTooLarge = "DUET-7203", 413, "A row of the load is too large";
    /// A line of a CSV has more or fewer fields than the first.
    LoadFields = "DUET-7204", 400, "A line has another number of fields than the first one";
    /// A bulk load exceeded its limit of refused rows.
    LoadStopped = "DUET-7205", 422, "Too many rows of the load were refused";
    /// The body of a bulk load was truncated, or it stalled for too long.
    LoadInterrupted = "DUET-7206", 400, "The body of the load ended early";
    /// The resource takes no bulk loads.
    LoadNotOffered = "DUET-7207", 405, "This resource cannot be loaded in bulk";
    /// A deferred constraint refused rows of a bulk load.
    LoadCommitRefused = "DUET-7208", 409, "A rule that is checked at the end refused rows";
    /// The token is missing or invalid.
    Unauthorized = "DUET-4001", 401, "A valid access token is required";
    /// The token's roles do not allow the operation.
    Forbidden = "DUET-4002", 403, "The client may not do this";
    /// Too many invalid tokens or token requests.
    TooManyRequests = "DUET-4003", 429, "Too many requests";
    /// The keys for external JWTs are not available.
    IssuerKeys = "DUET-4011", 503, "The keys of the token issuer are not known";
    /// The client's database role lacks a privilege.
    RoleDenied = "DUET-4012", 403, "The database role may not do this";
    /// A token must name a database role and names none that is allowed.
    RoleNotAllowed = "DUET-4013", 403, "The token names no database role that is allowed";
    /// The tenant that the request names is not that of its token.
    TenantDenied = "DUET-4021", 403, "The tenant is not that of the token";
    /// There is no tenant of this name.
    TenantUnknown = "DUET-4022", 404, "There is no such tenant";
    /// The tenant has as many requests as it may have.
    TenantBusy = "DUET-4023", 429, "The tenant has too many requests";
    /// A setting is unknown, malformed or contradicts another.
    Setting = "DUET-5001", 500, "A setting is wrong";
    /// Two objects would be served under one name, or a name is reserved.
    NameClash = "DUET-5002", 500, "A name cannot be used";
    /// A reload found errors in the application's files.
    Application = "DUET-5011", 500, "The application's files hold mistakes";
    /// The listeners' certificate or its key is unusable.
    Certificate = "DUET-5012", 500, "The certificate or its key cannot be used";
    /// The database role of a client does not exist, may not be assumed, or the database has no roles.
    RoleUnusable = "DUET-5013", 500, "The client's database role cannot be used";
    /// The arguments of a command are wrong; the command ends with exit code 2.
    CommandLine = "DUET-5014", 500, "The command line is wrong";
    /// The database cannot be reached.
    DatabaseUnavailable = "DUET-6001", 503, "The database cannot be reached";
    /// The database's queue or Duet's is full.
    Overloaded = "DUET-6002", 503, "The server is overloaded";
    /// The statement took longer than the limit.
    Timeout = "DUET-6003", 504, "The database took too long";
    /// A value of the request does not fit the database's type.
    ValueOutOfRange = "DUET-6004", 400, "A value is out of range for its column";
    /// The schema changed while the request ran.
    SchemaChanged = "DUET-6005", 503, "The schema has just changed";
    /// The database denies access to Duet's own user.
    DatabaseDenied = "DUET-6006", 500, "The database denies the server access";
    /// Another program holds a lock.
    DatabaseLocked = "DUET-6007", 503, "The database is locked by another program";
    /// The response is larger than the limit.
    AnswerTooLarge = "DUET-6008", 422, "The answer would be too large";
    /// A flex column holds an array, a scalar or text that is not JSON.
    FlexNoObject = "DUET-6009", 500, "A flex column does not hold an object";
    /// Requests and responses in progress use the entire memory budget.
    MemoryLimit = "DUET-6010", 503, "Too much memory is in use";
    /// A database function, trigger or view references a missing object.
    FunctionBroken = "DUET-6011", 500, "A function, trigger or view of the database is broken";
    /// A value of a stored row cannot be computed: a division by zero, a number out of range, a text that is none.
    NotComputed = "DUET-6018", 500, "A value of a stored row cannot be computed";
    /// A materialized view was never populated.
    NotPopulated = "DUET-6012", 503, "A materialized view holds no data yet";
    /// The definition of a duality view no longer matches the schema.
    ViewOutdated = "DUET-6013", 503, "The view does not fit the schema";
    /// A procedure ends the transaction that it is called in.
    RoutineCommits = "DUET-6016", 501, "The procedure ends transactions itself";
    /// The engine refuses a statement because of how tables are distributed over machines.
    DistributedStatement = "DUET-6017", 501, "The database cannot do this for distributed tables";
    /// The limit that the request set for itself has passed; nothing was changed.
    DeadlinePassed = "DUET-6014", 504, "The request's own time limit has passed";
    /// The limit that the request set for itself has passed during its commit.
    DeadlineUnknown = "DUET-6015", 504, "The request's own time limit has passed during a commit";
    /// A file is not a bench result, was written by a newer version, or does not match the others.
    ResultFile = "DUET-8001", 500, "A result of a measurement cannot be used";
    /// Any other error; the log has the cause.
    Internal = "DUET-9001", 500, "The server failed to answer";
}

impl Code {
    /// Whether the error concerns the written row, so that other rows may succeed.
    pub fn is_row_error(self) -> bool {
        self.is_constraint()
            || matches!(
                self,
                Self::ExclusionViolation
                    | Self::TriggerRefused
                    | Self::RowSecurity
                    | Self::RowRefused
                    | Self::NotWritable
                    | Self::KeysExhausted
                    | Self::ValueOutOfRange
                    | Self::NulCharacter
            )
    }

    /// Whether a table constraint refused the row, regardless of the kind of statement.
    pub fn is_constraint(self) -> bool {
        matches!(
            self,
            Self::UniqueViolation
                | Self::ForeignKeyViolation
                | Self::CheckViolation
                | Self::NotNullViolation
        )
    }
}

/// The position of an error in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A JSON pointer (RFC 6901) into a body.
    Pointer(String),
    /// A byte offset into a text such as `q`, from 0.
    Offset(usize),
    /// A byte offset into the named parameter, from 0.
    In(&'static str, usize),
    /// A byte offset into a body, from 0.
    BodyOffset(usize),
    /// A query parameter by name.
    Parameter(String),
    /// A line and column, both from 1, in a definition file.
    Line {
        /// The line.
        line: usize,
        /// The column, in characters.
        column: usize,
    },
    /// A line and column in a named file.
    File {
        /// The file, as the operator named it.
        file: Box<str>,
        /// The line.
        line: u32,
        /// The column, in characters.
        column: u32,
    },
}

impl Place {
    /// A position in a file; line and column count from 1.
    pub fn in_file(file: &str, line: usize, column: usize) -> Self {
        let short = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self::File { file: file.into(), line: short(line), column: short(column) }
    }
}

/// The constraint that a change violated, as the database reports it. It is not shown to clients
/// directly, because it may name objects that are not served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violation {
    /// Schema of the table.
    pub schema: Option<String>,
    /// The table.
    pub table: Option<String>,
    /// The columns, if the database reports them; otherwise they follow from the catalog.
    pub columns: Vec<String>,
    /// The constraint or index.
    pub constraint: Option<String>,
    /// The statement of a batch that violated it, from 0.
    pub call: Option<usize>,
    /// What a trigger or function raised.
    pub raised: Option<RaisedError>,
    /// The value that breaks the rule, as JSON text, where it is known and short.
    pub given: Option<String>,
    /// The tables at the other end of a broken reference, by their served names, as a sentence. Only for callers that may
    /// read the resource.
    pub reference: Option<String>,
    /// How a system whose clients Duet serves reports the error, where it has a code of its own for it.
    pub foreign: Option<ForeignCode>,
}

/// What a trigger or function raised (`RAISE`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaisedError {
    /// Its message.
    pub message: String,
    /// Its hint.
    pub hint: Option<String>,
    /// Its detail.
    pub detail: Option<String>,
    /// Its SQLSTATE, where the store has such.
    pub state: Option<String>,
}

/// An error for a client or an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The permanent code.
    pub code: Code,
    /// What is wrong and what to do. Never contains SQL or a secret.
    pub message: String,
    /// A hint, such as the nearest name.
    pub hint: Option<String>,
    /// The position in the input.
    pub place: Option<Place>,
    /// The underlying error of the database or system, only for the log.
    pub cause: Option<Box<str>>,
    /// When to try again, in seconds, for 429 and 503.
    pub retry_after: Option<u32>,
    /// The violated constraint; never shown directly.
    pub violation: Option<Box<Violation>>,
    /// The statement parameter that the database could not parse, from 1.
    pub parameter: Option<u16>,
    /// Further errors of the same input, boxed because errors are moved often.
    others: Option<Box<Others>>,
}

/// The code of another system for an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignCode {
    /// Its code.
    pub code: Cow<'static, str>,
    /// Its HTTP status.
    pub status: u16,
    /// What it says beside the message: JSON text.
    pub details: Option<String>,
    /// Further headers of the answer.
    pub headers: Vec<(String, String)>,
}

impl ForeignCode {
    /// A SQLSTATE of PostgreSQL (its manual, appendix A) for a value that does not fit, which PostgREST answers with 400.
    pub fn of_value(state: impl Into<Cow<'static, str>>) -> Self {
        Self { code: state.into(), status: 400, details: None, headers: Vec::new() }
    }
}

/// Further errors of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Others {
    list: Vec<Error>,
    /// Whether the outer error is only a consequence of these.
    are_all: bool,
}

/// The message for a function, trigger or view that references a missing object.
pub const BROKEN: &str = "A function, trigger or view of the database names something that does not exist, or does what \
    it must not, such as a STABLE function that writes. The database's operator has to correct it; the server's log says \
    which one.";

impl Error {
    /// Turns `SchemaChanged` into a permanent error after a reload found no change of the schema.
    #[must_use]
    pub fn settled(self) -> Self {
        if self.code != Code::SchemaChanged {
            return self;
        }
        let message = BROKEN.to_owned();
        Self { code: Code::FunctionBroken, message, retry_after: None, ..self }
    }

    /// An error with a message for the client.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            message,
            hint: None,
            place: None,
            cause: None,
            retry_after: None,
            violation: None,
            parameter: None,
            others: None,
        }
    }

    /// The error with the value at its position, as JSON text.
    #[must_use]
    pub fn given(mut self, text: String) -> Self {
        self.violation.get_or_insert_default().given = Some(text);
        self
    }

    /// Combines all errors of an input into one; `None` if there are none.
    pub fn all_of(errors: Vec<Error>) -> Option<Self> {
        let mut errors = errors.into_iter();
        let first = errors.next()?;
        let others: Vec<Error> = errors.collect();
        let others =
            (!others.is_empty()).then(|| Box::new(Others { list: others, are_all: false }));
        Some(Self { others, ..first })
    }

    /// Attaches the errors that caused this one.
    #[must_use]
    pub fn because_of(self, errors: Vec<Error>) -> Self {
        let others = Others { list: errors, are_all: true };
        Self { others: Some(Box::new(others)), ..self }
    }

    /// All errors: this one, unless it is only a consequence, and the others.
    pub fn mistakes(&self) -> impl Iterator<Item = &Self> {
        let are_all = self.others.as_ref().is_some_and(|others| others.are_all);
        (!are_all).then_some(self).into_iter().chain(self.others())
    }

    /// Further errors of the same input, in input order.
    pub fn others(&self) -> &[Error] {
        self.others.as_ref().map_or(&[], |others| &others.list)
    }

    /// Maps each of the further errors.
    #[must_use]
    pub fn map_others(mut self, change: impl Fn(Error) -> Error) -> Self {
        if let Some(others) = &mut self.others {
            others.list = std::mem::take(&mut others.list).into_iter().map(change).collect();
        }
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint, if there is one.
    #[must_use]
    pub fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }

    /// Sets the position in the input.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds the cause for the log.
    #[must_use]
    pub fn cause(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string().into());
        self
    }

    /// Sets how another system reports it.
    #[must_use]
    pub fn reported_as(mut self, foreign: ForeignCode) -> Self {
        self.violation.get_or_insert_default().foreign = Some(foreign);
        self
    }

    /// Adds a header to the answer, where it is set how another system reports it.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: String) -> Self {
        let foreign = self.violation.as_mut().and_then(|violation| violation.foreign.as_mut());
        if let Some(foreign) = foreign {
            foreign.headers.push((name.to_owned(), value));
        }
        self
    }

    /// How another system reports it, where that was set.
    pub fn foreign(&self) -> Option<&ForeignCode> {
        self.violation.as_ref()?.foreign.as_ref()
    }

    /// Sets when to try again, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Sets the violated constraint.
    #[must_use]
    pub fn violation(mut self, violation: Violation) -> Self {
        self.violation = Some(Box::new(violation));
        self
    }

    /// Sets which statement of a batch failed.
    #[must_use]
    pub fn of_call(mut self, call: usize) -> Self {
        self.violation.get_or_insert_default().call = Some(call);
        self
    }

    /// An error caused by a bug or a failing machine; the cause goes to the log.
    pub fn internal(cause: impl fmt::Display) -> Self {
        Self::new(
            Code::Internal,
            "Something went wrong on the server. The request id in `instance` finds the cause in its log.",
        )
        .cause(cause)
    }
}

impl fmt::Display for Error {
    /// The format for operators: code, position in a file, message, hint; never the cause.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.code.as_str())?;
        if let Some(Place::File { file, line, column }) = &self.place {
            write!(f, "{file}:{line}:{column}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, " {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraint_errors_are_row_errors() {
        let rows: Vec<_> = Code::ALL.iter().filter(|code| code.is_row_error()).collect();
        assert!(Code::ALL.iter().all(|code| !code.is_constraint() || code.is_row_error()));
        // These errors can affect every row.
        let others = [Code::DatabaseReadOnly, Code::DatabaseLocked, Code::FunctionBroken];
        assert!(others.iter().all(|code| !rows.contains(&code)));
    }

    #[test]
    fn codes_are_unique() {
        let mut codes: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Code::ALL.len());
    }
}
