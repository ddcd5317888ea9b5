import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../raw.testing.ts'
import { JSON_TYPE, type TestServer } from '../server.testing.ts'
import { refuses, ruleset, startStrict } from './refusals.testing.ts'

const RULESETS = '/api/v1/rulesets'
const EXECUTE = '/api/v1/execute/adult-check'

let server: TestServer

beforeAll(async () => (server = await startStrict()))
afterAll(() => server.stop())

describe('a body that is not a document of the route', () => {
  refuses(
    () => server,
    [
      { what: 'no body', path: RULESETS, body: '', message: 'the text is empty (line 1, column 1)' },
      {
        what: 'half a document',
        path: RULESETS,
        body: '{"config": {',
        message: 'found the end of the text (line 1, column 13)',
      },
      {
        what: 'a trailing comma',
        path: RULESETS,
        body: '{"config": {},\n}',
        message: 'a comma before `}` is not allowed (line 1, column 14)',
      },
      {
        what: 'single quotes',
        path: RULESETS,
        body: "{'config': {}}",
        message: "expected a key in double quotes, found `'` (line 1, column 2)",
      },
      { what: 'a comment', path: EXECUTE, body: '{"input": {} // x\n}', message: 'expected `,` or `}`, found `/`' },
      { what: 'NaN', path: EXECUTE, body: '{"input": {"age": NaN}}', message: 'expected a value, found `NaN`' },
      {
        what: 'a number out of range',
        path: EXECUTE,
        body: '{"input": {"age": 1e999}}',
        message: '`1e999` is beyond the largest number',
      },
      {
        what: 'a duplicate key in a ruleset',
        path: RULESETS,
        body: '{"config": {"name": "a", "name": "b"}}',
        message: 'the key `name` occurs twice in one object (line 1, column 26)',
      },
      {
        what: 'nesting of 10,000 levels',
        path: EXECUTE,
        body: '{"input":'.padEnd(10_009, '['),
        message: 'nested more than 128 levels deep',
      },
      {
        what: 'nesting of 10,000 objects',
        path: RULESETS,
        body: '{"a":'.repeat(10_000),
        message: 'nested more than 128 levels deep',
      },
      {
        what: 'bytes that are not UTF-8',
        path: EXECUTE,
        body: '\xff',
        message: 'the body is not valid UTF-8',
        headers: { ...JSON_TYPE, 'x-binary': '1' },
      },
      { what: 'a text', path: RULESETS, body: '"ruleset"', message: 'a ruleset is a JSON object, found' },
      { what: 'a list', path: RULESETS, body: '[]', message: 'a ruleset is a JSON object, found' },
      { what: 'null', path: EXECUTE, body: 'null', message: 'the body must be an object such as {"input": {…}}' },
    ],
  )
})

describe('sizes', () => {
  refuses(
    () => server,
    [
      {
        what: 'a body that is too large',
        path: EXECUTE,
        body: JSON.stringify({ input: { a: 'x'.repeat(70_000) } }),
        status: 413,
        code: 'PAYLOAD_TOO_LARGE',
        message: 'larger than 65536 bytes (--max-request-body-bytes)',
      },
      {
        what: 'a ruleset that is too large',
        path: RULESETS,
        body: ruleset({ rest: { notes: 'x'.repeat(70_000) } }),
        status: 413,
        code: 'PAYLOAD_TOO_LARGE',
        message: 'larger than 65536 bytes',
      },
      {
        what: 'headers that are too large',
        method: 'GET',
        path: RULESETS,
        status: 431,
        message: 'the headers are larger than 16 KiB',
        headers: { 'x-long': 'x'.repeat(20_000) },
      },
    ],
  )
})

describe('content types', () => {
  refuses(
    () => server,
    [
      {
        what: 'no content type',
        path: EXECUTE,
        body: '{}',
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'send JSON with `content-type: application/json`',
        headers: {},
      },
      {
        what: 'a form',
        path: EXECUTE,
        body: 'input=1',
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: '`application/x-www-form-urlencoded` is not supported',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      {
        what: 'XML',
        path: RULESETS,
        body: '<a/>',
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: '`text/xml` is not supported',
        headers: { 'content-type': 'text/xml' },
      },
      {
        what: 'another charset',
        path: EXECUTE,
        body: '{}',
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'is not supported',
        headers: { 'content-type': 'application/json; charset=latin1' },
      },
      {
        what: 'a body in another coding',
        path: EXECUTE,
        body: 'x',
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'the content encoding `br` is not supported',
        headers: { ...JSON_TYPE, 'content-encoding': 'br' },
      },
      {
        what: 'YAML',
        path: EXECUTE,
        body: 'config: {}',
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: '`application/yaml` is not supported',
        headers: { 'content-type': 'application/yaml' },
      },
    ],
  )
})

describe('paths and methods', () => {
  refuses(
    () => server,
    [
      {
        what: 'an unknown path',
        method: 'GET',
        path: '/api/v1/rules',
        status: 404,
        code: 'NOT_FOUND',
        message: 'there is no path `/api/v1/rules`',
      },
      { what: 'the root', method: 'POST', path: '/', status: 404, code: 'NOT_FOUND', message: 'there is no path `/`' },
      {
        what: 'another version',
        method: 'GET',
        path: '/api/v2/rulesets',
        status: 404,
        code: 'NOT_FOUND',
        message: 'there is no path `/api/v2/rulesets`',
      },
      {
        what: 'a path that continues',
        method: 'GET',
        path: '/api/v1/rulesets/a/b/c',
        status: 404,
        code: 'NOT_FOUND',
        message: 'there is no path',
      },
      {
        what: 'a wrong method',
        method: 'PUT',
        path: RULESETS,
        body: '{}',
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
        message: '`/api/v1/rulesets` answers GET, HEAD, POST, not `PUT`',
      },
      {
        what: 'a wrong method with a name',
        method: 'PATCH',
        path: `${RULESETS}/adult-check`,
        body: '{}',
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
        message: 'answers GET, HEAD, DELETE, not `PATCH`',
      },
      {
        what: 'GET of an execution',
        method: 'GET',
        path: EXECUTE,
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
        message: 'answers POST, not `GET`',
      },
      {
        what: 'DELETE of health',
        method: 'DELETE',
        path: '/health',
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
        message: 'answers GET, HEAD, not `DELETE`',
      },
      {
        what: 'a broken percent sign',
        method: 'GET',
        path: `${RULESETS}/%zz`,
        message: 'is not a valid URL: check its percent signs and its length',
      },
    ],
  )
})

describe('bytes that are not HTTP', () => {
  test.each([
    ['NONSENSE\r\n\r\n', 400],
    ['GET / HTTP/9.9\r\n\r\n', 400],
    ['POST /api/v1/eval HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n', 400],
  ])('%j', async (request, status) => {
    const answer = await sendRaw(server, request)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain('"code":"BAD_REQUEST"')
  })
})
