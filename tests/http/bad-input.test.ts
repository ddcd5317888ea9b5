import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adultCheck, JSON_TYPE, startServer, type TestServer } from './server.testing.ts'

let server: TestServer
let before: unknown

beforeAll(async () => {
  server = await startServer('--max-request-body-bytes', '65536', '--debug-mode')
  await server.post('/api/v1/rulesets', adultCheck())
  before = await state()
})

afterAll(() => server.stop())

/** Everything that a client can see of what is stored. */
async function state(): Promise<unknown> {
  const list = await server.request('GET', '/api/v1/rulesets')
  const one = await server.request('GET', '/api/v1/rulesets/adult-check')
  const rate = await server.request('GET', '/api/v1/config/audit-sample-rate')
  return [list.text, one.text, rate.text]
}

type Row = readonly [
  what: string,
  method: string,
  path: string,
  body: string | undefined,
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
]

const RULESETS = '/api/v1/rulesets'
const EXECUTE = '/api/v1/execute/adult-check'
const EVAL = '/api/v1/eval'
const jsonText = JSON.stringify
const ruleset = (changes: Parameters<typeof adultCheck>[0]) => jsonText(adultCheck(changes))
const step = (change: object) =>
  ruleset({ steps: { check: { id: 'check', type: 'decision', branches: [], default_next: 'no', ...change } } })

const ROWS: readonly Row[] = [
  // JSON
  ['no body', 'POST', RULESETS, '', 400, 'BAD_REQUEST', 'the text is empty (line 1, column 1)'],
  [
    'half a document',
    'POST',
    RULESETS,
    '{"config": {',
    400,
    'BAD_REQUEST',
    'found the end of the text (line 1, column 13)',
  ],
  [
    'a trailing comma',
    'POST',
    RULESETS,
    '{"config": {},\n}',
    400,
    'BAD_REQUEST',
    'there must be no comma before `}` (line 1, column 14)',
  ],
  [
    'single quotes',
    'POST',
    RULESETS,
    "{'config': {}}",
    400,
    'BAD_REQUEST',
    "expected a key in double quotes, found `'` (line 1, column 2)",
  ],
  ['a comment', 'POST', EXECUTE, '{"input": {} // x\n}', 400, 'BAD_REQUEST', 'expected `,` or `}`, found `/`'],
  ['NaN', 'POST', EXECUTE, '{"input": {"age": NaN}}', 400, 'BAD_REQUEST', 'expected a value, found `NaN`'],
  [
    'a number out of range',
    'POST',
    EXECUTE,
    '{"input": {"age": 1e999}}',
    400,
    'BAD_REQUEST',
    '`1e999` is beyond the largest number',
  ],
  [
    'a duplicate key in a ruleset',
    'POST',
    RULESETS,
    '{"config": {"name": "a", "name": "b"}}',
    400,
    'BAD_REQUEST',
    'the key `name` occurs twice in one object (line 1, column 26)',
  ],
  [
    'nesting of 10,000 levels',
    'POST',
    EXECUTE,
    '{"input":'.padEnd(10_009, '['),
    400,
    'BAD_REQUEST',
    'nested more than 128 levels deep',
  ],
  [
    'nesting of 10,000 objects',
    'POST',
    RULESETS,
    '{"a":'.repeat(10_000),
    400,
    'BAD_REQUEST',
    'nested more than 128 levels deep',
  ],
  [
    'bytes that are not UTF-8',
    'POST',
    EXECUTE,
    '\xff',
    400,
    'BAD_REQUEST',
    'the body is not valid UTF-8',
    { ...JSON_TYPE, 'x-binary': '1' },
  ],
  ['a text', 'POST', RULESETS, '"ruleset"', 400, 'BAD_REQUEST', 'a ruleset is a JSON object, found'],
  ['a list', 'POST', RULESETS, '[]', 400, 'BAD_REQUEST', 'a ruleset is a JSON object, found'],
  ['null', 'POST', EXECUTE, 'null', 400, 'BAD_REQUEST', 'the body must be an object such as {"input": {…}}'],
  // sizes
  [
    'a body that is too large',
    'POST',
    EXECUTE,
    jsonText({ input: { a: 'x'.repeat(70_000) } }),
    413,
    'PAYLOAD_TOO_LARGE',
    'larger than 65536 bytes (--max-request-body-bytes)',
  ],
  [
    'a ruleset that is too large',
    'POST',
    RULESETS,
    ruleset({ rest: { notes: 'x'.repeat(70_000) } }),
    413,
    'PAYLOAD_TOO_LARGE',
    'larger than 65536 bytes',
  ],
  [
    'headers that are too large',
    'GET',
    RULESETS,
    undefined,
    431,
    'BAD_REQUEST',
    'the headers are larger than 16 KiB',
    { 'x-long': 'x'.repeat(20_000) },
  ],
  // content types
  [
    'no content type',
    'POST',
    EXECUTE,
    '{}',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'send JSON with `content-type: application/json`',
    {},
  ],
  [
    'a form',
    'POST',
    EXECUTE,
    'input=1',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    '`application/x-www-form-urlencoded` is not understood here',
    { 'content-type': 'application/x-www-form-urlencoded' },
  ],
  [
    'XML',
    'POST',
    RULESETS,
    '<a/>',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    '`text/xml` is not understood here',
    { 'content-type': 'text/xml' },
  ],
  [
    'another charset',
    'POST',
    EXECUTE,
    '{}',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'is not understood here',
    { 'content-type': 'application/json; charset=latin1' },
  ],
  [
    'a compressed body',
    'POST',
    EXECUTE,
    'x',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'the content encoding `gzip` is not understood',
    { ...JSON_TYPE, 'content-encoding': 'gzip' },
  ],
  [
    'YAML',
    'POST',
    RULESETS,
    'config: {}',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    '`application/yaml` is not understood here',
    { 'content-type': 'application/yaml' },
  ],
  // paths and methods
  ['an unknown path', 'GET', '/api/v1/rules', undefined, 404, 'NOT_FOUND', 'there is no path `/api/v1/rules`'],
  ['the root', 'GET', '/', undefined, 404, 'NOT_FOUND', 'there is no path `/`'],
  ['another version', 'GET', '/api/v2/rulesets', undefined, 404, 'NOT_FOUND', 'there is no path `/api/v2/rulesets`'],
  ['a path that goes on', 'GET', '/api/v1/rulesets/a/b/c', undefined, 404, 'NOT_FOUND', 'there is no path'],
  [
    'a wrong method',
    'PUT',
    RULESETS,
    '{}',
    405,
    'METHOD_NOT_ALLOWED',
    '`/api/v1/rulesets` answers GET, POST, not `PUT`',
  ],
  [
    'a wrong method with a name',
    'PATCH',
    `${RULESETS}/adult-check`,
    '{}',
    405,
    'METHOD_NOT_ALLOWED',
    'answers GET, DELETE, not `PATCH`',
  ],
  ['GET of an execution', 'GET', EXECUTE, undefined, 405, 'METHOD_NOT_ALLOWED', 'answers POST, not `GET`'],
  ['DELETE of health', 'DELETE', '/health', undefined, 405, 'METHOD_NOT_ALLOWED', 'answers GET, not `DELETE`'],
  [
    'a broken percent sign',
    'GET',
    `${RULESETS}/%zz`,
    undefined,
    400,
    'BAD_REQUEST',
    'is not a valid URL: check its percent signs and its length',
  ],
  // names
  [
    'a name with ../',
    'GET',
    `${RULESETS}/..%2f..%2fetc%2fpasswd`,
    undefined,
    404,
    'NOT_FOUND',
    'ruleset `../../etc/passwd` not found',
  ],
  ['a name with %2f', 'DELETE', `${RULESETS}/a%2fb`, undefined, 404, 'NOT_FOUND', 'ruleset `a/b` not found'],
  ['a name with NUL', 'GET', `${RULESETS}/a%00b`, undefined, 404, 'NOT_FOUND', 'not found'],
  ['a name of 300 characters', 'GET', `${RULESETS}/${'n'.repeat(300)}`, undefined, 404, 'NOT_FOUND', 'not found'],
  [
    'a name of 5,000 characters',
    'GET',
    `${RULESETS}/${'n'.repeat(5000)}`,
    undefined,
    400,
    'BAD_REQUEST',
    'is not a valid URL: check its percent signs and its length',
  ],
  ['__proto__', 'GET', `${RULESETS}/__proto__`, undefined, 404, 'NOT_FOUND', 'ruleset `__proto__` not found'],
  [
    'a ruleset named ../x',
    'POST',
    RULESETS,
    ruleset({ config: { name: '../x' } }),
    400,
    'BAD_REQUEST',
    '`/config/name` a ruleset name holds only letters',
  ],
  [
    'a ruleset named .hidden',
    'POST',
    RULESETS,
    ruleset({ config: { name: '.hidden' } }),
    400,
    'BAD_REQUEST',
    'must not start with `.`',
  ],
  [
    'a ruleset named a..b',
    'POST',
    RULESETS,
    ruleset({ config: { name: 'a..b' } }),
    400,
    'BAD_REQUEST',
    'must not hold `..`',
  ],
  [
    'a ruleset with NUL in its name',
    'POST',
    RULESETS,
    ruleset({ config: { name: 'a\0b' } }),
    400,
    'BAD_REQUEST',
    'holds only letters',
  ],
  [
    'a ruleset with an empty name',
    'POST',
    RULESETS,
    ruleset({ config: { name: '' } }),
    400,
    'BAD_REQUEST',
    '`/config/name` a ruleset name must not be empty',
  ],
  [
    'a ruleset with a name of 300 characters',
    'POST',
    RULESETS,
    ruleset({ config: { name: 'n'.repeat(300) } }),
    400,
    'BAD_REQUEST',
    'at most 128 characters, this one has 300',
  ],
  [
    'a reserved name',
    'POST',
    RULESETS,
    ruleset({ config: { name: 'tenants' } }),
    400,
    'BAD_REQUEST',
    '`tenants` is reserved',
  ],
  [
    'a name that differs by case',
    'POST',
    RULESETS,
    ruleset({ config: { name: 'Adult-Check' } }),
    409,
    'CONFLICT',
    '`Adult-Check` differs only by case from the stored ruleset `adult-check`',
  ],
  // structure of rulesets
  ['an empty object', 'POST', RULESETS, '{}', 400, 'BAD_REQUEST', '`/config`'],
  ['config that is a list', 'POST', RULESETS, '{"config": [], "steps": {}}', 400, 'BAD_REQUEST', '`/config` must be'],
  [
    'no steps',
    'POST',
    RULESETS,
    ruleset({ rest: { steps: {} } }),
    400,
    'BAD_REQUEST',
    '`/steps` a ruleset needs at least one step',
  ],
  ['steps that are a list', 'POST', RULESETS, ruleset({ rest: { steps: [] } }), 400, 'BAD_REQUEST', '`/steps` must be'],
  [
    'an entry step that does not exist',
    'POST',
    RULESETS,
    ruleset({ config: { entry_step: 'chek' } }),
    400,
    'BAD_REQUEST',
    'there is no step `chek`; did you mean `check`?',
  ],
  [
    'an id that is not the key',
    'POST',
    RULESETS,
    ruleset({ steps: { yes: { id: 'yep', type: 'terminal', result: { code: 'A', message: '' } } } }),
    400,
    'BAD_REQUEST',
    "the step's id `yep` must be equal to its key `yes`",
  ],
  [
    'an unknown type',
    'POST',
    RULESETS,
    step({ type: 'decide' }),
    400,
    'BAD_REQUEST',
    '`/steps/check/type` must be one of',
  ],
  [
    'a dangling branch',
    'POST',
    RULESETS,
    step({ branches: [{ condition: 'true', next_step: 'yess' }] }),
    400,
    'BAD_REQUEST',
    'there is no step `yess`; did you mean `yes`?',
  ],
  [
    'a dangling default',
    'POST',
    RULESETS,
    step({ default_next: 'nowhere' }),
    400,
    'BAD_REQUEST',
    '`/steps/check/default_next` there is no step `nowhere`',
  ],
  [
    'a branch without a condition',
    'POST',
    RULESETS,
    step({ branches: [{ next_step: 'yes' }] }),
    400,
    'BAD_REQUEST',
    '`/steps/check/branches/0/condition`',
  ],
  [
    'branches that are an object',
    'POST',
    RULESETS,
    step({ branches: {} }),
    400,
    'BAD_REQUEST',
    '`/steps/check/branches` must be',
  ],
  [
    'a terminal without a code',
    'POST',
    RULESETS,
    ruleset({ steps: { yes: { id: 'yes', type: 'terminal', result: { message: 'x' } } } }),
    400,
    'BAD_REQUEST',
    '`/steps/yes/result/code`',
  ],
  [
    'a wrong field_missing',
    'POST',
    RULESETS,
    ruleset({ config: { field_missing: 'strickt' } }),
    400,
    'BAD_REQUEST',
    'did you mean `strict`?',
  ],
  [
    'a negative timeout',
    'POST',
    RULESETS,
    ruleset({ config: { timeout_ms: -1 } }),
    400,
    'BAD_REQUEST',
    '`/config/timeout_ms` must be a whole number from 0',
  ],
  [
    'a depth beyond the limit',
    'POST',
    RULESETS,
    ruleset({ config: { max_depth: 2_000_000 } }),
    400,
    'BAD_REQUEST',
    '`/config/max_depth` must be a whole number from 1 to 1000000',
  ],
  [
    'an unknown action',
    'POST',
    RULESETS,
    step({
      branches: [{ condition: 'true', next_step: 'yes', actions: [{ action: 'set_varable', name: 'a', value: '1' }] }],
    }),
    400,
    'BAD_REQUEST',
    'did you mean `set_variable`?',
  ],
  // expressions in rulesets
  [
    'a syntax error',
    'POST',
    RULESETS,
    step({ branches: [{ condition: 'age >= ', next_step: 'yes' }] }),
    400,
    'BAD_REQUEST',
    'found the end of the expression (line 1, column 8 of the expression)',
  ],
  [
    'a single equals sign',
    'POST',
    RULESETS,
    step({ branches: [{ condition: 'age = 18', next_step: 'yes' }] }),
    400,
    'BAD_REQUEST',
    '`=` is not an operator of this language',
  ],
  [
    'an unknown function',
    'POST',
    RULESETS,
    step({ branches: [{ condition: 'uper(a) == "A"', next_step: 'yes' }] }),
    400,
    'BAD_REQUEST',
    'there is no function `uper`',
  ],
  [
    'types that do not fit',
    'POST',
    RULESETS,
    step({ branches: [{ condition: '1 + "a" > 2', next_step: 'yes' }] }),
    400,
    'BAD_REQUEST',
    '`+` is not defined for number and string',
  ],
  [
    'an expression that ends in an operator',
    'POST',
    RULESETS,
    step({ branches: [{ condition: 'c || '.repeat(2000), next_step: 'yes' }] }),
    400,
    'BAD_REQUEST',
    'found the end of the expression',
  ],
  [
    'signature headers',
    'POST',
    RULESETS,
    ruleset({}),
    400,
    'BAD_REQUEST',
    'this build does not verify signatures yet',
    { ...JSON_TYPE, 'x-engine-signature': 'x', 'x-engine-public-key': 'y' },
  ],
  // executions
  [
    'an execution of nothing',
    'POST',
    '/api/v1/execute/nope',
    '{"input": {}}',
    404,
    'NOT_FOUND',
    'ruleset `nope` not found',
  ],
  ['an execution without an input', 'POST', EXECUTE, '{"inputs": {}}', 400, 'BAD_REQUEST', '`/input` is missing'],
  [
    'an input that is a list',
    'POST',
    EXECUTE,
    '{"input": []}',
    400,
    'BAD_REQUEST',
    '`input` must be an object, found a list',
  ],
  [
    'an input that is a text',
    'POST',
    EXECUTE,
    '{"input": "x"}',
    400,
    'BAD_REQUEST',
    '`input` must be an object, found the string `x`',
  ],
  [
    'an input that is null',
    'POST',
    EXECUTE,
    '{"input": null}',
    400,
    'BAD_REQUEST',
    '`input` must be an object, found `null`',
  ],
  [
    'a trace that is a text',
    'POST',
    EXECUTE,
    '{"input": {}, "trace": "yes"}',
    400,
    'BAD_REQUEST',
    '`/trace` must be `true` or `false`',
  ],
  [
    'an input of the wrong type',
    'POST',
    EXECUTE,
    '{"input": {"age": "old"}}',
    500,
    'INTERNAL_ERROR',
    '`>=` is not defined for string and number (step `check`)',
  ],
  // batches
  [
    'a batch of nothing',
    'POST',
    '/api/v1/execute/nope/batch',
    '{"inputs": [{}]}',
    404,
    'NOT_FOUND',
    'ruleset `nope` not found',
  ],
  [
    'a batch without inputs',
    'POST',
    `${EXECUTE}/batch`,
    '{"input": []}',
    400,
    'BAD_REQUEST',
    '`/inputs` is missing: `input` was given instead',
  ],
  [
    'an empty batch',
    'POST',
    `${EXECUTE}/batch`,
    '{"inputs": []}',
    400,
    'BAD_REQUEST',
    '`/inputs` must have at least 1 item',
  ],
  [
    'a batch that is an object',
    'POST',
    `${EXECUTE}/batch`,
    '{"inputs": {}}',
    400,
    'BAD_REQUEST',
    '`/inputs` must be a list, found an object',
  ],
  [
    'an option of the wrong type',
    'POST',
    `${EXECUTE}/batch`,
    '{"inputs": [{}], "options": {"trace": 1}}',
    400,
    'BAD_REQUEST',
    '`/options/trace` must be `true` or `false`',
  ],
  [
    'a query that is neither',
    'POST',
    `${EXECUTE}/batch?trace=maybe`,
    '{}',
    400,
    'BAD_REQUEST',
    'the query parameter `trace` must be `true` or `false`',
    { 'content-type': 'application/x-ndjson' },
  ],
  // eval
  [
    'an evaluation without an expression',
    'POST',
    EVAL,
    '{"context": {}}',
    400,
    'BAD_REQUEST',
    '`/expression` is missing',
  ],
  [
    'an expression that is a number',
    'POST',
    EVAL,
    '{"expression": 5}',
    400,
    'BAD_REQUEST',
    '`/expression` must be a string, found `5`',
  ],
  [
    'a context that is a list',
    'POST',
    EVAL,
    '{"expression": "1", "context": []}',
    400,
    'BAD_REQUEST',
    '`/context` must be an object, found a list',
  ],
  [
    'an empty expression',
    'POST',
    EVAL,
    '{"expression": " "}',
    400,
    'BAD_REQUEST',
    'the expression is empty (line 1, column 2)',
  ],
  [
    'a division by zero',
    'POST',
    EVAL,
    '{"expression": "1 / a", "context": {"a": 0}}',
    400,
    'BAD_REQUEST',
    'division by zero (line 1, column 1)',
  ],
  [
    'a missing operand',
    'POST',
    EVAL,
    '{"expression": "a.b + 1", "context": {}}',
    400,
    'BAD_REQUEST',
    '`a.b` is missing or null: `+` needs a value',
  ],
  [
    'a chained comparison',
    'POST',
    EVAL,
    '{"expression": "1 < a < 3"}',
    400,
    'BAD_REQUEST',
    'comparisons cannot be chained',
  ],
  [
    'an expression that is too deep',
    'POST',
    EVAL,
    jsonText({ expression: '('.repeat(300) }),
    400,
    'BAD_REQUEST',
    'nested more than 200 levels deep',
  ],
  // versions
  ['versions of nothing', 'GET', `${RULESETS}/nope/versions`, undefined, 404, 'NOT_FOUND', 'ruleset `nope` not found'],
  [
    'a rollback of nothing',
    'POST',
    `${RULESETS}/nope/rollback`,
    '{"seq": 1}',
    404,
    'NOT_FOUND',
    'ruleset `nope` not found',
  ],
  [
    'a rollback in memory',
    'POST',
    `${RULESETS}/adult-check/rollback`,
    '{"seq": 1}',
    400,
    'BAD_REQUEST',
    'Version rollback not available in memory-only mode',
  ],
  [
    'a rollback without a number',
    'POST',
    `${RULESETS}/adult-check/rollback`,
    '{}',
    400,
    'BAD_REQUEST',
    '`/seq` is missing',
  ],
  [
    'a rollback to a text',
    'POST',
    `${RULESETS}/adult-check/rollback`,
    '{"seq": "1"}',
    400,
    'BAD_REQUEST',
    '`/seq` must be a whole number, found the string `1`',
  ],
  ['deletion of nothing', 'DELETE', `${RULESETS}/nope`, undefined, 404, 'NOT_FOUND', 'ruleset `nope` not found'],
  // configuration
  [
    'a rate beyond 100',
    'PUT',
    '/api/v1/config/audit-sample-rate',
    '{"sample_rate": 101}',
    400,
    'BAD_REQUEST',
    '`/sample_rate` must be at most 100, found 101',
  ],
  [
    'a negative rate',
    'PUT',
    '/api/v1/config/audit-sample-rate',
    '{"sample_rate": -1}',
    400,
    'BAD_REQUEST',
    '`/sample_rate` must be at least 0',
  ],
  [
    'a fractional rate',
    'PUT',
    '/api/v1/config/audit-sample-rate',
    '{"sample_rate": 1.5}',
    400,
    'BAD_REQUEST',
    '`/sample_rate` must be a whole number',
  ],
  [
    'a misspelt rate',
    'PUT',
    '/api/v1/config/audit-sample-rate',
    '{"sampleRate": 5}',
    400,
    'BAD_REQUEST',
    '`/sample_rate` is missing: `sampleRate` was given instead',
  ],
  // debugging
  [
    'debugging of nothing',
    'POST',
    '/api/v1/debug/execute/nope',
    '{"input": {}}',
    404,
    'NOT_FOUND',
    'ruleset `nope` not found',
  ],
  [
    'an inline ruleset that is none',
    'POST',
    '/api/v1/debug/execute-inline',
    '{"ruleset": {}, "input": {}}',
    400,
    'BAD_REQUEST',
    'invalid ruleset: `/config`',
  ],
]

test(`the table has ${ROWS.length} rows`, () => expect(ROWS.length).toBeGreaterThanOrEqual(80))

test.for(ROWS)('%s', async ([_what, method, path, body, status, code, message, headers = JSON_TYPE]) => {
  const { 'x-binary': binary, ...rest } = headers as Readonly<Record<string, string>>
  const bytes = body === undefined ? undefined : Buffer.from(body, binary === undefined ? 'utf8' : 'latin1')
  const reply = await server.request(method, path, { body: bytes, headers: rest })
  expect({ status: reply.status, code: reply.body?.code, type: reply.headers.get('content-type') }).toEqual({
    status,
    code,
    type: 'application/json; charset=utf-8',
  })
  expect(reply.body.error).toContain(message)
  if (status === 405) expect(reply.headers.get('allow')).toBeTruthy()
  // A mistake of the sender is told to the sender, and stores nothing.
  expect(reply.text).not.toMatch(/\/work\/|node_modules|at .*\.ts:/)
  expect(await state()).toEqual(before)
})

describe('what is not HTTP', () => {
  test.each([
    ['NONSENSE\r\n\r\n', 400],
    ['GET / HTTP/9.9\r\n\r\n', 400],
    ['POST /api/v1/eval HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n', 400],
  ])('%j', async (request, status) => {
    const answer = await raw(request)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain('"code":"BAD_REQUEST"')
  })
})

function raw(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(request))
    let answer = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk))
    socket.on('close', () => resolve(answer)).on('error', reject)
  })
}

test('unknown fields of a ruleset are kept and named with what was probably meant', async () => {
  const document = adultCheck({ config: { name: 'kept', descripton: 'x' }, rest: { layout: { x: 1 } } })
  const reply = await server.post(RULESETS, document)
  expect(reply.status).toBe(201)
  expect(reply.body.warnings).toEqual([
    expect.objectContaining({ path: '/layout', message: 'a ruleset has no field `layout`: it is kept and ignored' }),
    expect.objectContaining({
      path: '/config/descripton',
      suggestion: 'description',
      message: '`config` has no field `descripton`: it is kept and ignored; did you mean `description`?',
    }),
  ])
  expect((await server.request('GET', `${RULESETS}/kept`)).body).toEqual(document)
  await server.request('DELETE', `${RULESETS}/kept`)
})
