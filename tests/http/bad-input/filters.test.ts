import { afterAll, beforeAll, describe } from 'vitest'
import { type TestServer } from '../server.testing.ts'
import { refuses, startStrict } from './refusals.testing.ts'

const FILTER = '/api/v1/rulesets/adult-check/filter'
const QUERY = '/api/v1/rulesets/adult-check/sql'

let server: TestServer

beforeAll(async () => (server = await startStrict()))
afterAll(() => server.stop())

describe('filters and queries', () => {
  refuses(
    () => server,
    [
      {
        what: 'a filter of nothing known',
        path: FILTER,
        body: '{"target_results": ["ADULT"]}',
        message: '`/known_input` is missing',
      },
      {
        what: 'a filter to nowhere',
        path: FILTER,
        body: '{"known_input": {}}',
        message: '`/target_results` is missing',
      },
      {
        what: 'a filter to no result',
        path: FILTER,
        body: '{"known_input": {}, "target_results": []}',
        message: '`/target_results` must have at least 1 item',
      },
      {
        what: 'a filter to a number',
        path: FILTER,
        body: '{"known_input": {}, "target_results": [1]}',
        message: '`/target_results/0` must be a string',
      },
      {
        what: 'a filter to a text',
        path: FILTER,
        body: '{"known_input": {}, "target_results": "ADULT"}',
        message: '`/target_results` must be a list',
      },
      {
        what: 'a filter from a list',
        path: FILTER,
        body: '{"known_input": [], "target_results": ["ADULT"]}',
        message: '`/known_input` must be an object, found a list',
      },
      {
        what: 'a text as the unknown fields',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "unknown_input": "age"}',
        message: '`/unknown_input` must be a list',
      },
      {
        what: 'an unknown field that is no path',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "unknown_input": ["age", "age +"]}',
        message: '`age +` is not a field path such as `order.total`',
      },
      {
        what: '101 unknown fields',
        path: FILTER,
        body: `{"known_input": {}, "target_results": ["ADULT"], "unknown_input": [${Array.from({ length: 101 }, () => '"age"').join()}]}`,
        message: '`/unknown_input` must have at most 100 items',
      },
      {
        what: 'a filter in an unknown format',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "format": "xml"}',
        message: '`/format` must be one of `sql`, `json`, `mongo`',
      },
      {
        what: 'a format in capitals',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "format": "SQL"}',
        message: '`/format` must be one of',
      },
      {
        what: 'fewer than no paths',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "max_paths": -1}',
        message: '`/max_paths` must be at least 0',
      },
      {
        what: 'half a path',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "max_paths": 1.5}',
        message: '`/max_paths` must be a whole number',
      },
      {
        what: 'a column of an unknown type',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "columns": {"age": "varchar"}}',
        message: '`/columns/age` must be one of `text`, `number`, `integer`, `boolean`',
      },
      {
        what: 'a query with a column of an unknown type',
        path: QUERY,
        body: '{"dialect": "duckdb", "columns": {"age": 1}}',
        message: '`/columns/age` must be a string, found `1`',
      },
      {
        what: 'a mapping that is a list',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "field_mapping": []}',
        message: '`/field_mapping` must be an object',
      },
      {
        what: 'a mapping to a number',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "field_mapping": {"age": 1}}',
        message: '`/field_mapping/age` must be a string',
      },
      {
        what: 'a mapping of no path',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "field_mapping": {"a +": "x"}}',
        message: 'is not a field path',
      },
      {
        what: 'a mapping to an operator',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "format": "mongo", "field_mapping": {"age": "$where"}}',
        message: '`$where` cannot be the name of a column',
      },
      {
        what: 'an unknown meaning of null',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "nulls": "maybe"}',
        message: '`/nulls` must be one of `sql`, `match_rules`',
      },
      {
        what: 'an unknown dialect',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "dialect": "oracle"}',
        message: '`/dialect` must be one of',
      },
      {
        what: 'a dialect of mongo',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "format": "mongo", "dialect": "postgres"}',
        message: '`dialect` requires the format `sql`',
      },
      {
        what: 'parameters of json',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "format": "json", "parameters": true}',
        message: '`parameters` requires the format `sql`',
      },
      {
        what: 'columns without null as text',
        path: FILTER,
        body: '{"known_input": {}, "target_results": ["ADULT"], "not_null": "age"}',
        message: '`/not_null` must be a list',
      },
      {
        what: 'a filter of a missing ruleset',
        path: '/api/v1/rulesets/nope/filter',
        body: '{"known_input": {}, "target_results": ["ADULT"]}',
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `nope` not found',
      },
      { what: 'a query without a dialect', path: QUERY, body: '{}', message: '`/dialect` is missing' },
      {
        what: 'a query in an unknown dialect',
        path: QUERY,
        body: '{"dialect": "oracle"}',
        message: '`/dialect` must be one of `postgres`',
      },
      {
        what: 'a query of a number',
        path: QUERY,
        body: '{"dialect": "duckdb", "table": 5}',
        message: '`/table` must be a string',
      },
      {
        what: 'a query of a missing ruleset',
        path: '/api/v1/rulesets/nope/sql',
        body: '{"dialect": "duckdb"}',
        status: 404,
        code: 'NOT_FOUND',
        message: 'ruleset `nope` not found',
      },
    ],
  )
})
