import { expect, test } from 'vitest'
import { parseEntry } from './entry.ts'

/* Malformed entries: each message names the member. */

const HASH = Buffer.alloc(32, 1).toString('base64url')
const DIGEST = '0'.repeat(64)
const ENTRY = {
  engine: '0.2.0',
  instance: 'eu-1/01990000-0000-7000-8000-000000000000',
  now: 1,
  result: { code: 'OK', message: HASH, output: HASH },
  ruleset: { digest: DIGEST, name: 'adult', version: '1.0.0' },
  seq: 0,
  tenant: 'default',
  time: 2,
  trust: { calls: '', input: HASH },
  uses: [{ digest: DIGEST, name: 'other' }],
  v: 1,
}

test.each<[more: object, message: string]>([
  [{ engine: 1 }, '`engine` of the entry must be a text'],
  [{ instance: '' }, '`instance` of the entry must not be empty'],
  [{ now: -1 }, '`now` of the entry must be a whole number from 0 to 2^53 - 1'],
  [{ now: 1.5 }, '`now` of the entry must be a whole number from 0 to 2^53 - 1'],
  [{ result: 'OK' }, 'the `result` of the entry must be an object'],
  [{ result: { code: 'OK', message: HASH } }, 'the result has no `output`'],
  [{ result: { code: 1, message: HASH, output: HASH } }, '`code` of the result must be a text'],
  [{ result: { code: 'OK', message: 'x', output: HASH } }, '`message` of the result must be base64url of 32 bytes'],
  [{ result: { code: 'OK', message: HASH, output: 'x' } }, '`output` of the result must be base64url of 32 bytes'],
  [{ ruleset: null }, 'the `ruleset` of the entry must be an object'],
  [
    { ruleset: { digest: 'x', name: 'adult', version: '1.0.0' } },
    '`digest` of the ruleset must be 64 hexadecimal digits',
  ],
  [{ ruleset: { digest: DIGEST, name: 1, version: '1.0.0' } }, '`name` of the ruleset must be a text'],
  [{ ruleset: { digest: DIGEST, name: 'adult', version: 1 } }, '`version` of the ruleset must be a text'],
  [{ seq: '0' }, '`seq` of the entry must be a whole number from 0 to 2^53 - 1'],
  [{ tenant: null }, '`tenant` of the entry must be a text'],
  [{ time: null }, '`time` of the entry must be a whole number from 0 to 2^53 - 1'],
  [{ trust: [] }, 'the `trust` of the entry must be an object'],
  [{ trust: { input: HASH } }, 'the trust has no `calls`'],
  [{ trust: { calls: 'x', input: HASH } }, '`calls` of the trust must be base64url of 32 bytes'],
  [{ trust: { calls: '', input: 'x' } }, '`input` of the trust must be base64url of 32 bytes'],
  [{ uses: {} }, '`uses` of the entry must be a list'],
  [{ uses: ['x'] }, '`uses` of the entry must be a list of objects'],
  [{ uses: [{ digest: DIGEST }] }, 'the used ruleset has no `name`'],
  [{ uses: [{ digest: 'x', name: 'other' }] }, '`digest` of the used ruleset must be 64 hexadecimal digits'],
  [{ uses: [{ digest: DIGEST, name: 1 }] }, '`name` of the used ruleset must be a text'],
  [{ v: 2 }, 'the entry has another version than 1'],
  [{ contract: 'x' }, '`contract` of the entry must be 64 hexadecimal digits'],
  [{ error: 'timeout' }, 'the entry must have either a `result` or an `error`'],
  [{ more: 1 }, 'the entry has an unknown member `more`'],
])('%j', (more, message) => {
  expect(() => parseEntry(JSON.stringify({ ...ENTRY, ...more }))).toThrow(message)
})
