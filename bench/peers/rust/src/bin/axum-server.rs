//! The decision of 17 steps by hand behind axum: reads the same request as engine-server and answers the same form.

use axum::{Json, Router, routing::post, serve::ListenerExt};
use serde::{Deserialize, Serialize};
use std::time::Instant;

#[derive(Deserialize)]
struct Asked {
    input: Input,
}

#[derive(Deserialize)]
struct Input {
    customer: Customer,
    order: Order,
    credit: Credit,
}

#[derive(Deserialize)]
struct Customer {
    age: f64,
    country: String,
}

#[derive(Deserialize)]
struct Order {
    total: f64,
    express: bool,
}

#[derive(Deserialize)]
struct Credit {
    score: f64,
    defaults: f64,
}

#[derive(Serialize)]
struct Answer {
    code: &'static str,
    message: &'static str,
    output: Output,
    duration_us: u128,
}

#[derive(Serialize)]
struct Output {
    level: usize,
}

fn decide(Input { customer, order, credit }: &Input) -> &'static str {
    if customer.age < 18.0 {
        "AGE"
    } else if credit.defaults >= 1.0 {
        "DEFAULT"
    } else if customer.country == "US" || customer.country == "GB" {
        "COUNTRY"
    } else if credit.score < 520.0 {
        "SCORE"
    } else if order.total >= 1200.0 && credit.score < 640.0 {
        "LIMIT"
    } else if order.express && credit.score < 600.0 {
        "EXPRESS"
    } else if credit.score >= 760.0 {
        "TOP"
    } else if credit.score >= 640.0 {
        "GOOD"
    } else {
        "REVIEW"
    }
}

async fn execute(Json(asked): Json<Asked>) -> Json<Answer> {
    let begin = Instant::now();
    let code = decide(&asked.input);
    let duration_us = begin.elapsed().as_micros();
    Json(Answer { code, message: code, output: Output { level: code.len() }, duration_us })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("listens on http://{}", listener.local_addr()?);
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a TCP socket"));
    axum::serve(listener, Router::new().route("/api/v1/execute/credit", post(execute))).await
}
