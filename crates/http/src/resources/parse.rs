//! Large bodies are read beside the event loop, small ones on it: a hop to another thread costs
//! more than they do.

use std::sync::Arc;

use bytes::Bytes;
use duet_document::BodyPurpose;
use duet_model::{Code, Error, Place};
use duet_service::Resource;
use duet_service::query::Mistakes;
use duet_service::write::{
    NewItem, TransactionOperation, check_items, operation_mistakes, read_array, read_body,
};
use duet_text::json::body::Body;

use crate::answer::refusal::Refusal;
use crate::request::scope::Scope;

/// Bodies of more bytes are read beside the event loop.
const ON_THE_LOOP: usize = 64 << 10;

impl Scope<'_> {
    /// Reads something of a body.
    pub(crate) async fn parse<B, T>(
        &self,
        body: B,
        parse: impl FnOnce(&B) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Refusal>
    where
        B: AsRef<[u8]> + Send + 'static,
        T: Send + 'static,
    {
        let parsed = match body.as_ref().len() > ON_THE_LOOP {
            true => self.worker.shared.offload.run(move || parse(&body)).await?,
            false => parse(&body),
        };
        Ok(parsed.map_err(in_body)?)
    }

    /// A body as text.
    pub(crate) async fn text_of(&self, body: Bytes) -> Result<Arc<str>, Refusal> {
        let text = |body: &Bytes| match std::str::from_utf8(body) {
            Ok(text) => Ok(text.into()),
            Err(error) => Err(Error::new(Code::BodySyntax, "The body is not UTF-8.")
                .at(Place::BodyOffset(error.valid_up_to()))),
        };
        self.parse(body, text).await
    }

    /// A document or patch, read and checked against its resource.
    pub(crate) async fn checked(
        &self,
        resource: &Arc<Resource>,
        text: Arc<str>,
        form: BodyPurpose,
    ) -> Result<Body, Refusal> {
        let bounds = self.service().write_limits().bounds(0);
        let resource = Arc::clone(resource);
        self.parse(Text(text), move |Text(text)| read_body(&resource, text, form, bounds)).await
    }

    /// An array of new documents, read and checked against their resource.
    pub(crate) async fn checked_array(
        &self,
        resource: &Arc<Resource>,
        text: Arc<str>,
    ) -> Result<Body, Refusal> {
        let bounds = self.service().write_limits().bounds(1);
        let resource = Arc::clone(resource);
        self.parse(Text(text), move |Text(text)| read_array(&resource, text, bounds)).await
    }

    /// The documents of an array, each read and checked separately.
    pub(crate) async fn checked_items(
        &self,
        resource: &Arc<Resource>,
        array: &Body,
    ) -> Result<Vec<Result<NewItem, Error>>, Refusal> {
        let resource = Arc::clone(resource);
        self.parse(array.clone(), move |array| Ok(check_items(&resource, array))).await
    }

    /// A JSON body with documents at this depth.
    pub(crate) async fn any_json(&self, text: Arc<str>, around: usize) -> Result<Body, Refusal> {
        let bounds = self.service().write_limits().bounds(around);
        self.parse(Text(text), move |Text(text)| Body::read(Arc::clone(text), bounds)).await
    }

    /// The operations of a transaction, whose documents are checked, and said together with the mistakes there are.
    pub(crate) async fn checked_operations(
        &self,
        body: &Body,
        operations: Vec<(usize, TransactionOperation)>,
        mut mistakes: Mistakes,
    ) -> Result<Vec<TransactionOperation>, Refusal> {
        let check = move |_: &Body| {
            operation_mistakes(&operations).into_iter().for_each(|one| mistakes.add(one));
            mistakes.or(operations.into_iter().map(|(_, operation)| operation).collect())
        };
        self.parse(body.clone(), check).await
    }
}

/// A text as bytes.
struct Text(Arc<str>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// A byte position in a part of the body, as one in the body.
pub(crate) fn in_body(mut error: Error) -> Error {
    if let Some(Place::Offset(offset)) = error.place {
        error.place = Some(Place::BodyOffset(offset));
    }
    error.map_others(in_body)
}
