import { afterAll, beforeAll, describe } from 'vitest'
import { type TestServer } from '../server.testing.ts'
import { refuses, ruleset, startStrict } from './refusals.testing.ts'

const PATH = '/api/v1/rulesets/adult-check'
const NDJSON = { 'content-type': 'application/x-ndjson' }

let server: TestServer

beforeAll(async () => (server = await startStrict()))
afterAll(() => server.stop())

describe('analyses', () => {
  refuses(
    () => server,
    [
      ...['analyze', 'impact', 'why-not', 'replay?seq=1'].map((way) => ({
        what: `${way} of an unknown ruleset`,
        path: `/api/v1/rulesets/nope/${way}`,
        body: '{"seq": 1, "input": {}, "code": "ADULT"}',
        ...(way.startsWith('replay') && { headers: NDJSON }),
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `nope` not found',
      })),
      {
        what: 'an unknown domain',
        path: `${PATH}/analyze`,
        body: '{"domain": "some"}',
        message: '`/domain` must be one of `any`, `contract`',
      },
      {
        what: 'no budget',
        path: `${PATH}/analyze`,
        body: '{"budget": 0}',
        message: '`/budget` must be at least 1',
      },
      {
        what: 'a budget without end',
        path: `${PATH}/analyze`,
        body: '{"budget": 60000001}',
        message: '`/budget` must be at most 60000000',
      },
      {
        what: 'a seed that is not an object',
        path: `${PATH}/analyze`,
        body: '{"seeds": [{}, 3]}',
        message: '`/seeds/1` must be an object',
      },
      {
        what: 'too many seeds',
        path: `${PATH}/analyze`,
        body: JSON.stringify({ seeds: Array.from({ length: 10_001 }, () => ({})) }),
        message: '`/seeds` must have at most 10000 items',
      },
      {
        what: 'an impact of no other version',
        path: `${PATH}/impact`,
        body: '{}',
        message: 'must have either `ruleset`, the new version, or `seq`',
      },
      {
        what: 'an impact of two other versions',
        path: `${PATH}/impact`,
        body: `{"seq": 1, "ruleset": ${ruleset({})}}`,
        message: 'must have either `ruleset`, the new version, or `seq`',
      },
      {
        what: 'an impact of a version that was never replaced',
        path: `${PATH}/impact`,
        body: '{"seq": 7}',
        status: 404,
        code: 'NOT_FOUND',
        message: 'version 7 of ruleset `adult-check` not found',
      },
      {
        what: 'an impact of half a version',
        path: `${PATH}/impact`,
        body: '{"seq": 1.5}',
        message: '`/seq` must be a whole number',
      },
      {
        what: 'an impact of a text',
        path: `${PATH}/impact`,
        body: '{"ruleset": "adult-check"}',
        message: '`/ruleset` must be an object',
      },
      {
        what: 'an impact of an object that is not a ruleset',
        path: `${PATH}/impact`,
        body: '{"ruleset": {}}',
        status: 422,
        code: 'INVALID_RULESET',
        message: 'invalid ruleset: `/ruleset',
      },
      {
        what: 'a forbidden change to nowhere',
        path: `${PATH}/impact`,
        body: `{"ruleset": ${ruleset({})}, "forbid": ["ADULT"]}`,
        message: '`/forbid/0`',
      },
      {
        what: 'a forbidden change by way of another',
        path: `${PATH}/impact`,
        body: `{"ruleset": ${ruleset({})}, "forbid": ["A->B", "A->B->C"]}`,
        message: '`/forbid/1` must be a change of code such as `DENY->ALLOW`',
      },
      {
        what: 'why-not of nothing',
        path: `${PATH}/why-not`,
        body: '{"code": "ADULT"}',
        message: '`/input` is missing',
      },
      {
        what: 'why-not of a list',
        path: `${PATH}/why-not`,
        body: '{"code": "ADULT", "input": []}',
        message: '`/input` must be an object, found a list',
      },
      {
        what: 'why-not without a wish',
        path: `${PATH}/why-not`,
        body: '{"input": {}}',
        message: '`/code` is missing',
      },
      {
        what: 'why-not by a field that is a number',
        path: `${PATH}/why-not`,
        body: '{"input": {}, "code": "ADULT", "changeable": [1]}',
        message: '`/changeable/0` must be a string',
      },
      {
        what: 'a replay without a version',
        path: `${PATH}/replay`,
        body: '{"input": {}}',
        headers: NDJSON,
        message: 'the query needs `seq`',
      },
      {
        what: 'a replay of a version that is not a number',
        path: `${PATH}/replay?seq=one`,
        body: '{"input": {}}',
        headers: NDJSON,
        message: 'the version `one` must be a number',
      },
      {
        what: 'a replay of a document',
        path: `${PATH}/replay?seq=1`,
        body: '{"input": {}}',
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'send them with `content-type: application/x-ndjson`',
      },
      {
        what: 'a write with an unknown analysis',
        path: '/api/v1/rulesets?analyze=maybe',
        body: ruleset({}),
        message: '`analyze` must be `warn` or `deny`, found `maybe`',
      },
    ],
  )
})
