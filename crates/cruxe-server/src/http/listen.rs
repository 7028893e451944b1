//! Connections: taken, bounded, and ended in order.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use rmcp::ServerHandler;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;

use super::endpoints::Endpoints;
use super::{Backend, DRAIN, HttpOptions};

use cruxe_model::config::HttpConfig;

/// Serves until `end`, then lets calls in flight finish for a while.
///
/// Nothing new is taken from then on; streams that clients hold open end at once, calls that still run after ten
/// seconds are cancelled.
pub async fn serve_http<H: ServerHandler>(
    listener: TcpListener,
    backend: Backend<H>,
    options: HttpOptions,
    end: impl Future<Output = ()>,
) {
    let tls = options.tls.clone().map(TlsAcceptor::from);
    let limits = options.limits.clone();
    let endpoints = Endpoints::new(backend, options);
    let acceptor = Arc::new(Acceptor { builder: builder(&limits), tls, router: endpoints.router(), limits });
    let shutdown = serve_until(listener, &acceptor, end).await;
    tracing::info!(running = endpoints.running(), "ending");
    endpoints.end_streams();
    let mut drained = std::pin::pin!(shutdown.shutdown());
    if timeout(DRAIN, &mut drained).await.is_err() {
        tracing::warn!(running = endpoints.running(), "calls are cut off");
        endpoints.end_calls();
        let _ = timeout(Duration::from_secs(1), drained).await;
    }
}

/// Serves pages and nothing else until `end`; answers in flight may finish.
pub async fn serve_pages(listener: TcpListener, pages: Router, options: HttpOptions, end: impl Future<Output = ()>) {
    let tls = options.tls.map(TlsAcceptor::from);
    let router = pages.layer(CatchPanicLayer::new());
    let acceptor = Arc::new(Acceptor { builder: builder(&options.limits), tls, router, limits: options.limits });
    let shutdown = serve_until(listener, &acceptor, end).await;
    let _ = timeout(DRAIN, shutdown.shutdown()).await;
}

/// Takes connections until `end`.
async fn serve_until(
    listener: TcpListener,
    acceptor: &Arc<Acceptor>,
    end: impl Future<Output = ()>,
) -> GracefulShutdown {
    let shutdown = GracefulShutdown::new();
    tokio::select! {
        () = accept(&listener, acceptor, &shutdown) => {}
        () = end => {}
    }
    shutdown
}

/// What every connection goes through.
struct Acceptor {
    builder: Builder<TokioExecutor>,
    tls: Option<TlsAcceptor>,
    router: Router,
    limits: HttpConfig,
}

fn builder(limits: &HttpConfig) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(limits.header_timeout_ms))
        .max_headers(100)
        .max_buf_size(limits.max_header_bytes.max(8 << 10)) // hyper takes no less
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(limits.max_header_bytes).unwrap_or(u32::MAX))
        .max_concurrent_streams(128)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}

async fn accept(listener: &TcpListener, acceptor: &Arc<Acceptor>, shutdown: &GracefulShutdown) {
    let slots = Arc::new(Semaphore::new(acceptor.limits.max_connections));
    // Above the limit, clients wait in the system's queue.
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let watcher = shutdown.watcher();
                tokio::spawn(connection(Arc::clone(acceptor), stream, watcher, slot));
            }
            Err(problem) if is_of_the_client(&problem) => {}
            Err(problem) => {
                // No file descriptors, say. Another client may be gone in a moment.
                tracing::warn!(%problem, "cannot take a connection");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

fn is_of_the_client(problem: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(problem.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn connection(acceptor: Arc<Acceptor>, stream: TcpStream, watcher: Watcher, _slot: OwnedSemaphorePermit) {
    // Answers are small and written whole.
    let _ = stream.set_nodelay(true);
    let Some(tls) = &acceptor.tls else { return talk(&acceptor, stream, watcher).await };
    let patience = Duration::from_millis(acceptor.limits.header_timeout_ms);
    match timeout(patience, tls.accept(stream)).await {
        Ok(Ok(stream)) => talk(&acceptor, stream, watcher).await,
        Ok(Err(problem)) => tracing::debug!(%problem, "no TLS handshake"),
        Err(_) => tracing::debug!("no TLS handshake in time"),
    }
}

async fn talk<IO: AsyncRead + AsyncWrite + Unpin + Send + 'static>(acceptor: &Acceptor, stream: IO, watcher: Watcher) {
    let asked = Arc::new(AtomicBool::new(false));
    let note = Arc::clone(&asked);
    let service = acceptor.router.clone().map_request(move |request: Request<_>| {
        note.store(true, Ordering::Relaxed);
        request
    });
    let connection = acceptor.builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    // hyper's time for headers begins when it knows whether it reads HTTP/1 or 2; a client that sends half a word
    // before that would be waited for without end.
    let silent = async {
        sleep(Duration::from_millis(acceptor.limits.header_timeout_ms)).await;
        if asked.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        ended = watcher.watch(connection) => if let Err(problem) = ended {
            tracing::debug!(problem, "a connection ended early");
        },
        () = silent => tracing::debug!("a connection asked for nothing in time"),
    }
}
