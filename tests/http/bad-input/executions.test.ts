import { afterAll, beforeAll, describe } from 'vitest'
import { type TestServer } from '../server.testing.ts'
import { refuses, startStrict } from './refusals.testing.ts'

const EXECUTE = '/api/v1/execute/adult-check'
const EVAL = '/api/v1/eval'

let server: TestServer

beforeAll(async () => (server = await startStrict()))
afterAll(() => server.stop())

describe('executions', () => {
  refuses(
    () => server,
    [
      {
        what: 'an execution of nothing',
        path: '/api/v1/execute/nope',
        body: '{"input": {}}',
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `nope` not found',
      },
      { what: 'an execution without an input', path: EXECUTE, body: '{"inputs": {}}', message: '`/input` is missing' },
      {
        what: 'an input that is a list',
        path: EXECUTE,
        body: '{"input": []}',
        message: '`input` must be an object, found a list',
      },
      {
        what: 'an input that is a text',
        path: EXECUTE,
        body: '{"input": "x"}',
        message: '`input` must be an object, found the string `x`',
      },
      {
        what: 'an input that is null',
        path: EXECUTE,
        body: '{"input": null}',
        message: '`input` must be an object, found `null`',
      },
      {
        what: 'values without a trace',
        path: EXECUTE,
        body: '{"input": {}, "trace_values": true}',
        message: '`/trace_values` adds values to a trace: it needs `trace` to be `true`',
      },
      {
        what: 'values that are a text',
        path: EXECUTE,
        body: '{"input": {}, "trace": true, "trace_values": "yes"}',
        message: '`/trace_values` must be `true` or `false`',
      },
      {
        what: 'a trace that is a text',
        path: EXECUTE,
        body: '{"input": {}, "trace": "yes"}',
        message: '`/trace` must be `true` or `false`',
      },
      {
        what: 'a receipt that is a text',
        path: EXECUTE,
        body: '{"input": {}, "receipt": "yes"}',
        message: '`/receipt` must be `true` or `false`',
      },
      {
        what: 'a receipt of an engine that keeps none',
        path: EXECUTE,
        body: '{"input": {"age": 20}, "receipt": true}',
        code: 'RECEIPTS_OFF',
        message: 'this engine keeps no receipts (--receipts)',
      },
      {
        what: 'an input of the wrong type',
        path: EXECUTE,
        body: '{"input": {"age": "old"}}',
        status: 500,
        code: 'INTERNAL_ERROR',
        message: '`>=` is not defined for string and number (step `check`)',
      },
    ],
  )
})

describe('batches', () => {
  refuses(
    () => server,
    [
      {
        what: 'a batch of nothing',
        path: '/api/v1/execute/nope/batch',
        body: '{"inputs": [{}]}',
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `nope` not found',
      },
      {
        what: 'a batch with receipts of an engine that keeps none',
        path: '/api/v1/execute/adult-check/batch',
        body: '{"inputs": [{}], "options": {"receipt": true}}',
        code: 'RECEIPTS_OFF',
        message: 'this engine keeps no receipts (--receipts)',
      },
      {
        what: 'a batch as JSON that asks by its path',
        path: '/api/v1/execute/adult-check/batch?receipt=true',
        body: '{"inputs": [{}]}',
        message: 'a batch as JSON asks by `options.receipt`',
      },
      {
        what: 'a batch of a misspelt ruleset',
        path: '/api/v1/execute/adult-chek/batch',
        body: '{"inputs": [{}]}',
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `adult-chek` not found: did you mean `adult-check`?',
      },
      {
        what: 'a misspelt ruleset on the fast way',
        path: '/api/v1/execute/adult_check',
        body: '{"input": {}}',
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `adult_check` not found: did you mean `adult-check`?',
      },
      {
        what: 'a batch without inputs',
        path: `${EXECUTE}/batch`,
        body: '{"input": []}',
        message: '`/inputs` is missing: `input` was given instead',
      },
      {
        what: 'an empty batch',
        path: `${EXECUTE}/batch`,
        body: '{"inputs": []}',
        message: '`/inputs` must have at least 1 item',
      },
      {
        what: 'a batch that is an object',
        path: `${EXECUTE}/batch`,
        body: '{"inputs": {}}',
        message: '`/inputs` must be a list, found an object',
      },
      {
        what: 'an option of the wrong type',
        path: `${EXECUTE}/batch`,
        body: '{"inputs": [{}], "options": {"trace": 1}}',
        message: '`/options/trace` must be `true` or `false`',
      },
      {
        what: 'a query that is neither',
        path: `${EXECUTE}/batch?trace=maybe`,
        body: '{}',
        message: 'the query parameter `trace` must be `true` or `false`',
        headers: { 'content-type': 'application/x-ndjson' },
      },
      {
        what: 'a type that no batch has',
        path: `${EXECUTE}/batch`,
        body: '<inputs/>',
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message:
          '`text/xml` is not supported: send JSON with `content-type: application/json`, or lines with `application/x-ndjson` or `text/csv`',
        headers: { 'content-type': 'text/xml' },
      },
      ...[
        ['a key of a document', 'application/json', 'id', 'needs a body of lines'],
        ['a key that is not a path', 'application/x-ndjson', 'a[*]', 'must be a path such as `order.id`, found `a[*]`'],
        ['a key of everything', 'application/x-ndjson', '$', 'must be a path such as `order.id`'],
      ].map(([what = '', type = '', key = '', message = '']) => ({
        what,
        path: `${EXECUTE}/batch?key=${encodeURIComponent(key)}`,
        body: '{"inputs": [{}]}',
        message: `the query parameter \`key\` ${message}`,
        headers: { 'content-type': type },
      })),
      {
        what: 'a query that is neither, after an option that takes precedence',
        path: `${EXECUTE}/batch?trace=1`,
        body: '{"inputs": [{}], "options": {"trace": false}}',
        message: 'the query parameter `trace` must be `true` or `false`',
      },
    ],
  )
})

describe('evaluations', () => {
  refuses(
    () => server,
    [
      {
        what: 'an evaluation without an expression',
        path: EVAL,
        body: '{"context": {}}',
        message: '`/expression` is missing',
      },
      {
        what: 'an expression that is a number',
        path: EVAL,
        body: '{"expression": 5}',
        message: '`/expression` must be a string, found `5`',
      },
      {
        what: 'a context that is a list',
        path: EVAL,
        body: '{"expression": "1", "context": []}',
        message: '`/context` must be an object, found a list',
      },
      {
        what: 'an empty expression',
        path: EVAL,
        body: '{"expression": " "}',
        message: 'the expression is empty (line 1, column 2)',
      },
      {
        what: 'a division by zero',
        path: EVAL,
        body: '{"expression": "1 / a", "context": {"a": 0}}',
        message: 'division by zero (line 1, column 1)',
      },
      {
        what: 'a missing operand',
        path: EVAL,
        body: '{"expression": "a.b + 1", "context": {}}',
        message: '`a.b` is missing or null: `+` needs a value',
      },
      {
        what: 'a chained comparison',
        path: EVAL,
        body: '{"expression": "1 < a < 3"}',
        message: 'comparisons cannot be chained',
      },
      {
        what: 'an expression that is too deep',
        path: EVAL,
        body: JSON.stringify({ expression: '('.repeat(300) }),
        message: 'nested more than 200 levels deep',
      },
    ],
  )
})

describe('debugging', () => {
  refuses(
    () => server,
    [
      {
        what: 'debugging of nothing',
        path: '/api/v1/debug/execute/nope',
        body: '{"input": {}}',
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `nope` not found',
      },
      {
        what: 'an invalid inline ruleset',
        path: '/api/v1/debug/execute-inline',
        body: '{"ruleset": {}, "input": {}}',
        message: 'invalid ruleset: `/config`',
      },
    ],
  )
})
