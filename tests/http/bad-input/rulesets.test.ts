import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adultCheck, type TestServer } from '../server.testing.ts'
import { refuses, ruleset, startStrict, step } from './refusals.testing.ts'

const RULESETS = '/api/v1/rulesets'

let server: TestServer

beforeAll(async () => (server = await startStrict()))
afterAll(() => server.stop())

describe('names', () => {
  refuses(
    () => server,
    [
      {
        what: 'a name with ../',
        method: 'GET',
        path: `${RULESETS}/..%2f..%2fetc%2fpasswd`,
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `../../etc/passwd` not found',
      },
      {
        what: 'a name with %2f',
        method: 'DELETE',
        path: `${RULESETS}/a%2fb`,
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `a/b` not found',
      },
      {
        what: 'a name with NUL',
        method: 'GET',
        path: `${RULESETS}/a%00b`,
        status: 404,
        code: 'NOT_FOUND',
        message: 'not found',
      },
      {
        what: 'a name of 300 characters',
        method: 'GET',
        path: `${RULESETS}/${'n'.repeat(300)}`,
        status: 404,
        code: 'NOT_FOUND',
        message: 'not found',
      },
      {
        what: 'a name of 5,000 characters',
        method: 'GET',
        path: `${RULESETS}/${'n'.repeat(5000)}`,
        message: 'is not a valid URL: check its percent signs and its length',
      },
      {
        what: '__proto__',
        method: 'GET',
        path: `${RULESETS}/__proto__`,
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `__proto__` not found',
      },
      {
        what: 'a picture in an unknown format',
        method: 'GET',
        path: `${RULESETS}/adult-check/graph?format=png`,
        message: 'the query parameter `format` must be one of text, mermaid, dot, svg, found `png`',
      },
      {
        what: 'a picture of a misspelt ruleset',
        method: 'GET',
        path: `${RULESETS}/adult-chekc/graph`,
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `adult-chekc` not found: did you mean `adult-check`?',
      },
      {
        what: 'a ruleset named ../x',
        path: RULESETS,
        body: ruleset({ config: { name: '../x' } }),
        message: '`/config/name` a ruleset name may only contain letters',
      },
      {
        what: 'a ruleset named .hidden',
        path: RULESETS,
        body: ruleset({ config: { name: '.hidden' } }),
        message: 'must not start with `.`',
      },
      {
        what: 'a ruleset named a..b',
        path: RULESETS,
        body: ruleset({ config: { name: 'a..b' } }),
        message: 'must not contain `..`',
      },
      {
        what: 'a ruleset with NUL in its name',
        path: RULESETS,
        body: ruleset({ config: { name: 'a\0b' } }),
        message: 'may only contain letters',
      },
      {
        what: 'a ruleset with an empty name',
        path: RULESETS,
        body: ruleset({ config: { name: '' } }),
        message: '`/config/name` a ruleset name must not be empty',
      },
      {
        what: 'a ruleset with a name of 300 characters',
        path: RULESETS,
        body: ruleset({ config: { name: 'n'.repeat(300) } }),
        message: 'at most 128 characters, this one has 300',
      },
      {
        what: 'a reserved name',
        path: RULESETS,
        body: ruleset({ config: { name: 'tenants' } }),
        message: '`tenants` is reserved',
      },
      {
        what: 'a name that differs by case',
        path: RULESETS,
        body: ruleset({ config: { name: 'Adult-Check' } }),
        status: 409,
        code: 'CONFLICT',
        message: '`Adult-Check` differs only by case from the stored ruleset `adult-check`',
      },
    ],
  )
})

describe('structure', () => {
  refuses(
    () => server,
    [
      { what: 'an empty object', path: RULESETS, body: '{}', message: '`/config`' },
      {
        what: 'config that is a list',
        path: RULESETS,
        body: '{"config": [], "steps": {}}',
        message: '`/config` must be',
      },
      {
        what: 'no steps',
        path: RULESETS,
        body: ruleset({ rest: { steps: {} } }),
        message: '`/steps` a ruleset needs at least one step',
      },
      {
        what: 'steps that are a list',
        path: RULESETS,
        body: ruleset({ rest: { steps: [] } }),
        message: '`/steps` must be',
      },
      {
        what: 'an entry step that does not exist',
        path: RULESETS,
        body: ruleset({ config: { entry_step: 'chek' } }),
        message: 'there is no step `chek`; did you mean `check`?',
      },
      {
        what: 'an id that is not the key',
        path: RULESETS,
        body: ruleset({ steps: { yes: { id: 'yep', type: 'terminal', result: { code: 'A', message: '' } } } }),
        message: "the step's id `yep` must be equal to its key `yes`",
      },
      {
        what: 'an unknown type',
        path: RULESETS,
        body: step({ type: 'decide' }),
        message: '`/steps/check/type` must be one of',
      },
      {
        what: 'a dangling branch',
        path: RULESETS,
        body: step({ branches: [{ condition: 'true', next_step: 'yess' }] }),
        message: 'there is no step `yess`; did you mean `yes`?',
      },
      {
        what: 'a dangling default',
        path: RULESETS,
        body: step({ default_next: 'nowhere' }),
        message: '`/steps/check/default_next` there is no step `nowhere`',
      },
      {
        what: 'a branch without a condition',
        path: RULESETS,
        body: step({ branches: [{ next_step: 'yes' }] }),
        message: '`/steps/check/branches/0/condition`',
      },
      {
        what: 'branches that are an object',
        path: RULESETS,
        body: step({ branches: {} }),
        message: '`/steps/check/branches` must be',
      },
      {
        what: 'a terminal without a code',
        path: RULESETS,
        body: ruleset({ steps: { yes: { id: 'yes', type: 'terminal', result: { message: 'x' } } } }),
        message: '`/steps/yes/result/code`',
      },
      {
        what: 'a wrong field_missing',
        path: RULESETS,
        body: ruleset({ config: { field_missing: 'strickt' } }),
        message: 'did you mean `strict`?',
      },
      {
        what: 'a negative timeout',
        path: RULESETS,
        body: ruleset({ config: { timeout_ms: -1 } }),
        message: '`/config/timeout_ms` must be a whole number from 0',
      },
      {
        what: 'a depth beyond the limit',
        path: RULESETS,
        body: ruleset({ config: { max_depth: 2_000_000 } }),
        message: '`/config/max_depth` must be a whole number from 1 to 1000000',
      },
      {
        what: 'an unknown action',
        path: RULESETS,
        body: step({
          branches: [
            { condition: 'true', next_step: 'yes', actions: [{ action: 'set_varable', name: 'a', value: '1' }] },
          ],
        }),
        message: 'did you mean `set_variable`?',
      },
    ],
  )
})

describe('expressions', () => {
  refuses(
    () => server,
    [
      {
        what: 'a syntax error',
        path: RULESETS,
        body: step({ branches: [{ condition: 'age >= ', next_step: 'yes' }] }),
        message: 'found the end of the expression (line 1, column 8 of the expression)',
      },
      {
        what: 'a single equals sign',
        path: RULESETS,
        body: step({ branches: [{ condition: 'age = 18', next_step: 'yes' }] }),
        message: '`=` is not an operator of this language',
      },
      {
        what: 'an unknown function',
        path: RULESETS,
        body: step({ branches: [{ condition: 'uper(a) == "A"', next_step: 'yes' }] }),
        message: 'there is no function `uper`',
      },
      {
        what: 'types that do not fit',
        path: RULESETS,
        body: step({ branches: [{ condition: '1 + "a" > 2', next_step: 'yes' }] }),
        message: '`+` is not defined for number and string',
      },
      {
        what: 'an expression that ends in an operator',
        path: RULESETS,
        body: step({ branches: [{ condition: 'c || '.repeat(2000), next_step: 'yes' }] }),
        message: 'found the end of the expression',
      },
      {
        what: 'an invalid compiled ruleset',
        path: RULESETS,
        body: 'hello',
        message: 'the body cannot be read as a compiled ruleset: it does not start with the tag `ENGR`',
        headers: { 'content-type': 'application/octet-stream' },
      },
    ],
  )
})

describe('versions', () => {
  refuses(
    () => server,
    [
      {
        what: 'versions of nothing',
        method: 'GET',
        path: `${RULESETS}/nope/versions`,
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `nope` not found',
      },
      {
        what: 'a rollback of nothing',
        path: `${RULESETS}/nope/rollback`,
        body: '{"seq": 1}',
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `nope` not found',
      },
      {
        what: 'a rollback in memory',
        path: `${RULESETS}/adult-check/rollback`,
        body: '{"seq": 1}',
        message: 'Version rollback not available in memory-only mode',
      },
      {
        what: 'a rollback without a number',
        path: `${RULESETS}/adult-check/rollback`,
        body: '{}',
        message: '`/seq` is missing',
      },
      {
        what: 'a rollback to a text',
        path: `${RULESETS}/adult-check/rollback`,
        body: '{"seq": "1"}',
        message: '`/seq` must be a whole number, found the string `1`',
      },
      {
        what: 'deletion of nothing',
        method: 'DELETE',
        path: `${RULESETS}/nope`,
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `nope` not found',
      },
    ],
  )
})

test('unknown fields of a ruleset are kept and named with a suggestion', async () => {
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
