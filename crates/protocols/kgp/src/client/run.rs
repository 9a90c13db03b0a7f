//! Connecting to a server, and again after the end of a connection.

use std::io;
use std::time::Duration;

use humantime::format_duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::client::error::ClientError;
use crate::client::report::ClientReport;
use crate::client::search::SearchPool;
use crate::client::session::{ServerSession, SessionEnd};
use crate::client::settings::ClientSettings;
use crate::connection::KgpConnection;

/// The first pause before a reconnection; each further one is twice as long.
const MIN_RECONNECT_DELAY: Duration = Duration::from_secs(1);
const MAX_RECONNECT_DELAY: Duration = Duration::from_mins(1);

/// Plays on the server until it says goodbye or `shutdown` is cancelled, and reconnects. `connect`
/// opens a connection to the server.
///
/// # Errors
/// If the client cannot go on. [`ClientError`] has the reasons.
pub async fn run_client(
    settings: &ClientSettings<'_>,
    connect: impl AsyncFn() -> io::Result<KgpConnection>,
    report: &mut ClientReport<'_>,
    shutdown: &CancellationToken,
) -> Result<(), ClientError> {
    let server = &settings.server;
    let is_persistent = settings.is_persistent;
    let search_pool = SearchPool::default();
    let mut delay = MIN_RECONNECT_DELAY;
    let mut was_greeted = false;
    loop {
        let connection = tokio::select! {
            connection = connect() => connection,
            () = shutdown.cancelled() => return Ok(()),
        };
        let end = match connection {
            Ok(connection) => {
                report.notify(&format!("connected to {server}"));
                let mut session = ServerSession::new(settings, connection, report, &search_pool);
                let end = session.run(shutdown).await;
                was_greeted |= session.is_greeted();
                // A server that always says goodbye at once is asked less and less often.
                let has_worked = match end {
                    SessionEnd::Goodbye => session.has_played(),
                    _ => session.is_greeted(),
                };
                if has_worked {
                    delay = MIN_RECONNECT_DELAY;
                }
                session.close(&end).await?;
                end
            }
            Err(error) => SessionEnd::ConnectionLost(error),
        };
        match end {
            SessionEnd::Goodbye if is_persistent => {
                report.notify(&format!(
                    "the server said goodbye; connecting again in {delay:?}"
                ));
            }
            SessionEnd::Goodbye => {
                report.notify("the server said goodbye");
                return Ok(());
            }
            SessionEnd::Interrupted => return Ok(()),
            SessionEnd::Idle(time) if was_greeted || is_persistent => {
                let time = format_duration(time);
                report.notify(&format!(
                    "no game for {time}; connecting again in {delay:?}"
                ));
            }
            SessionEnd::Idle(time) => {
                let server = server.clone();
                return Err(ClientError::NoGreeting { server, time });
            }
            SessionEnd::Failed(error) => return Err(error),
            SessionEnd::ConnectionLost(error) if was_greeted || is_persistent => {
                report.warn(&format!("{server}: {error}; trying again in {delay:?}"));
            }
            // There may be no KGP server at this address.
            SessionEnd::ConnectionLost(reason) => {
                let server = server.clone();
                return Err(ClientError::Connection { server, reason });
            }
        }
        tokio::select! {
            () = sleep(delay) => {}
            () = shutdown.cancelled() => return Ok(()),
        }
        delay = (delay * 2).min(MAX_RECONNECT_DELAY);
    }
}
