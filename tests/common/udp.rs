//! Ordinary sockets in a namespace: traffic that the kernel itself makes.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};

use super::ns::Namespace;
use super::worker::Worker;

/// A UDP socket bound to `address` in a namespace.
pub fn bound(ns: &Namespace, address: &str) -> UdpSocket {
    ns.run(|| UdpSocket::bind(address).unwrap_or_else(|e| panic!("bind {address}: {e}")))
}

/// Starts a TCP transfer of `bytes` from `client` to 10.9.0.2 in `server`; the worker ends with
/// the number of bytes that arrived.
pub fn bulk(client: &Namespace, server: &Namespace, bytes: usize) -> Worker<usize> {
    let listener = server.run(|| TcpListener::bind("10.9.0.2:0").expect("a listener on vb"));
    let address = listener
        .local_addr()
        .expect("a bound listener has an address");
    let inside = client.enter();
    let sending = Worker::start(move || {
        let mut stream = TcpStream::connect(address).expect("the listener is reached");
        stream.write_all(&vec![0x5a; bytes]).expect("all is sent");
    });
    drop(inside);
    Worker::start(move || {
        let (mut stream, _) = listener.accept().expect("the client connects");
        let mut all = Vec::new();
        stream
            .read_to_end(&mut all)
            .expect("the client sends until it closes");
        sending.finish(std::time::Duration::from_secs(20));
        all.len()
    })
}
