//! rmcp's end of the connection: messages in its types, from the dispatcher and to the writer of lines.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, ProtocolVersion, RequestId};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Notify, OwnedSemaphorePermit};

use super::lines::Out;
use crate::rpc;

/// A transport for rmcp that is fed by the dispatcher.
pub(super) struct RmcpTransport {
    pub(super) messages: UnboundedReceiver<Incoming>,
    pub(super) out: Out,
    pub(super) pending: Arc<Pending>,
}

/// A message on its way to rmcp. One that is not answered has its share of what may be in flight until it is taken.
pub(super) type Incoming = (ClientJsonRpcMessage, Option<OwnedSemaphorePermit>);

/// The requests that rmcp has not answered yet, each with its share of what a connection may have in flight.
#[derive(Default)]
pub(super) struct Pending {
    requests: Mutex<HashMap<RequestId, OwnedSemaphorePermit>>,
    settled: Notify,
}

impl Pending {
    /// Notes a request that will be answered.
    pub(super) fn asked(&self, id: &RequestId, request: &ClientRequest, share: OwnedSemaphorePermit) {
        // A subscription is answered when it ends, and the end of the input is its end.
        if !matches!(request, ClientRequest::SubscriptionsListenRequest(_)) {
            self.requests().insert(id.clone(), share);
        }
    }

    /// Notes that a request was answered, or never will be because the client took it back.
    pub(super) fn done(&self, id: &RequestId) {
        let mut requests = self.requests();
        requests.remove(id);
        if requests.is_empty() {
            self.settled.notify_one();
        }
    }

    /// Whether a request with this id is not answered yet.
    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.requests().contains_key(id)
    }

    pub(super) fn is_settled(&self) -> bool {
        self.requests().is_empty()
    }

    /// Waits until nothing is pending.
    pub(super) async fn settled(&self) {
        while !self.is_settled() {
            self.settled.notified().await;
        }
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<RequestId, OwnedSemaphorePermit>> {
        self.requests.lock()
    }
}

impl Transport<RoleServer> for RmcpTransport {
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let is_news = matches!(message, TxJsonRpcMessage::<RoleServer>::Notification(_));
        let (mut sent, mut news) = (Ok(()), None);
        match rpc::write(&message) {
            // Whoever tells news waits for a client that does not read, and has the newest to tell when it does.
            Ok(line) if is_news && !self.out.has_room() => news = Some((self.out.clone(), line)),
            // All else is queued here and now, in the order in which rmcp gives it.
            Ok(line) => sent = self.out.send_bytes(line),
            Err(problem) => sent = Err(problem),
        }
        match &message {
            TxJsonRpcMessage::<RoleServer>::Response(response) => self.pending.done(&response.id),
            TxJsonRpcMessage::<RoleServer>::Error(error) => error.id.iter().for_each(|id| self.pending.done(id)),
            _ => {}
        }
        async move {
            if let Some((out, line)) = news {
                out.room().await;
                sent = out.send_bytes(line);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await.map(|(message, _)| message)
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What rmcp does with a request that comes before the session is open.
#[derive(Debug, PartialEq)]
pub(super) enum Opening {
    /// It opens the session.
    Opens,
    /// It is answered, and the session stays as it is.
    Answers,
    /// It is out of turn.
    OutOfTurn,
}

/// Says what a request would do before the session is open.
///
/// Up to protocol 2025-11-25 a session begins with `initialize`. From 2026-07-28 on there is none: each request says of
/// itself what `initialize` said, and `server/discover` may come before.
pub(super) fn opening(request: &ClientRequest) -> Opening {
    if matches!(request, ClientRequest::InitializeRequest(_)) {
        return Opening::Opens;
    }
    let meta = request.get_meta();
    if !meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty() {
        return Opening::OutOfTurn;
    }
    let known = meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
    if known && !matches!(request, ClientRequest::DiscoverRequest(_)) { Opening::Opens } else { Opening::Answers }
}
