import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Disk, nodeDisk } from '../store/disk.ts'
import { temporaryPath } from '../store/durable-files.ts'
import { createMemoryState, openStateFile } from './state-file.ts'

let rules: string
beforeEach(() => void (rules = mkdtempSync(join(tmpdir(), 'state-'))))
afterEach(() => rmSync(rules, { recursive: true }))

const folder = () => join(rules, '.platform')
const path = () => join(folder(), 'state.json')
const FEE = { tenant: 'default', name: 'fee', digest: 'd' }
const NO_STATE = { serverId: undefined, databaseId: undefined, revision: 0, rulesets: [] }
async function opened(disk: Disk = nodeDisk) {
  const reasons: string[] = []
  const file = await openStateFile(disk, rules, (reason) => void reasons.push(reason))
  return { ...file, reasons }
}
function store(text: string) {
  mkdirSync(folder())
  writeFileSync(path(), text)
}

describe('the state of the link', () => {
  test.each([
    ['with everything', { serverId: 's', databaseId: 'd', revision: 7, rulesets: [FEE] }],
    ['before a registration', NO_STATE],
    ['at a platform of unknown database', { serverId: 's', databaseId: undefined, revision: 1, rulesets: [] }],
  ])('%s is read as it was written', async (_title, state) => {
    const first = await opened()
    expect([first.initial, first.reasons]).toEqual([NO_STATE, []])
    await first.write(state)
    const { initial, reasons } = await opened()
    expect([initial, reasons, readdirSync(folder())]).toEqual([state, [], ['state.json']])
  })

  test('has the members that earlier and later programs read', async () => {
    const { write } = await opened()
    await write({ serverId: undefined, databaseId: undefined, revision: 0, rulesets: [FEE] })
    expect(readFileSync(path(), 'utf8')).toBe(
      '{"server_id":null,"revision":0,"rulesets":[{"tenant":"default","name":"fee","digest":"d"}]}\n',
    )
  })

  test('loses what a crash has left beside it', async () => {
    store('{"server_id":"s","revision":3,"rulesets":[]}')
    writeFileSync(temporaryPath(folder(), 'state.json'), '{')
    expect((await opened()).initial).toEqual({ serverId: 's', databaseId: undefined, revision: 3, rulesets: [] })
    expect(readdirSync(folder())).toEqual(['state.json'])
  })

  test.each<[title: string, text: string, reason: string]>([
    ['no JSON', '{', 'line 1'],
    ['no object', '[]', '`server_id` is no text'],
    ['a server that is no text', '{"server_id":1,"revision":1,"rulesets":[]}', '`server_id` is no text'],
    ['no server', '{"revision":1,"rulesets":[]}', '`server_id` is no text'],
    [
      'a database that is no text',
      '{"server_id":"s","database_id":null,"revision":1,"rulesets":[]}',
      '`database_id` is no text',
    ],
    ['no revision', '{"server_id":"s","rulesets":[]}', '`revision` is no number'],
    ['a revision that is text', '{"server_id":"s","revision":"1","rulesets":[]}', '`revision` is no number'],
    ['no list', '{"server_id":"s","revision":1,"rulesets":{}}', '`rulesets` is no list of rulesets'],
    [
      'a ruleset without a tenant',
      '{"server_id":"s","revision":1,"rulesets":[{"name":"a","digest":"d"}]}',
      '`rulesets` is no list of rulesets',
    ],
    [
      'a ruleset without a name',
      '{"server_id":"s","revision":1,"rulesets":[{"tenant":"a","digest":"d"}]}',
      '`rulesets` is no list of rulesets',
    ],
    [
      'a ruleset without a digest',
      '{"server_id":"s","revision":1,"rulesets":[{"tenant":"a","name":"d"}]}',
      '`rulesets` is no list of rulesets',
    ],
    ['a ruleset that is none', '{"server_id":"s","revision":1,"rulesets":[1]}', '`rulesets` is no list of rulesets'],
  ])('counts as missing with %s, and says why', async (_title, text, reason) => {
    store(text)
    const { initial, reasons } = await opened()
    expect([initial, reasons]).toEqual([NO_STATE, [expect.stringContaining(reason)]])
  })

  test('that the disk does not give ends the start', async () => {
    store('{"server_id":"s","revision":1,"rulesets":[]}')
    const broken: Disk = { ...nodeDisk, read: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })) }
    await expect(opened(broken)).rejects.toThrow('EIO')
  })

  test('is kept in memory without a rules directory', async () => {
    const { initial, write } = createMemoryState()
    await write({ ...NO_STATE, revision: 3 })
    expect([initial, readdirSync(rules)]).toEqual([NO_STATE, []])
  })
})
