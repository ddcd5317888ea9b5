import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import { nodeDisk } from '../store/disk.ts'
import { temporaryPath } from '../store/durable-files.ts'
import { tenantDirectory } from '../store/paths.ts'
import { moveToDeleted } from './deleted-tenants.ts'
import { TenantsFileError } from './tenant.ts'
import { createSeenFile, MAX_TENANTS_FILE, openTenantsFile } from './tenants-file.ts'

let rules: string
beforeEach(() => void (rules = mkdtempSync(join(tmpdir(), 'tenants-'))))
afterEach(() => rmSync(rules, { recursive: true }))

const path = () => join(rules, 'tenants.json')
const reading = async () => (await openTenantsFile(nodeDisk, rules)).read()

describe('tenants.json', () => {
  test('that is missing has no text', async () => {
    expect(await reading()).toBeUndefined()
  })

  test('is read as it was written, and nothing else is left', async () => {
    const file = await openTenantsFile(nodeDisk, rules)
    for (const text of ['{"a": {}}', '{"ä": {}}']) {
      await file.write(text)
      expect([await file.read(), readFileSync(path(), 'utf8'), readdirSync(rules)]).toEqual([
        text,
        text,
        ['tenants.json'],
      ])
    }
  })

  test('loses what a crash has left beside it, and no other file', async () => {
    const left = temporaryPath(rules, 'tenants.json')
    for (const name of [left, path(), join(rules, 'fee.json')]) writeFileSync(name, '{}')
    await openTenantsFile(nodeDisk, rules)
    expect(readdirSync(rules).toSorted()).toEqual(['fee.json', 'tenants.json'])
  })

  test.each<[title: string, make: () => void, message: RegExp]>([
    ['is not UTF-8', () => writeFileSync(path(), Buffer.of(0x7b, 0xff, 0x7d)), /^it is not valid UTF-8$/],
    ['is too large', () => writeFileSync(path(), ' '.repeat(MAX_TENANTS_FILE + 1)), /16777216|16 MiB/],
    ['is a folder', () => mkdirSync(path()), /^it is not a regular file$/],
    ['is a link', () => symlinkSync('elsewhere', path()), /^it is a symbolic link, and links are not followed$/],
  ])('that %s is refused with the reason', async (_title, make, message) => {
    make()
    await expect(reading()).rejects.toThrow(TenantsFileError)
    await expect(reading()).rejects.toThrow(message)
  })

  test('of the largest size is read', async () => {
    writeFileSync(path(), ' '.repeat(MAX_TENANTS_FILE))
    expect((await reading())?.length).toBe(MAX_TENANTS_FILE)
  })
})

describe('news of tenants.json', () => {
  /** A file in memory, and the texts that were taken from it. */
  function seen(first: string | undefined, text: string | undefined = first) {
    const { log, lines } = memoryLog()
    const state = { text }
    const taken: string[] = []
    const file = {
      read: async () => state.text,
      write: async (now: string) => void (state.text = now),
      watch: () => {},
      close: () => {},
    }
    const its = createSeenFile(file, first, log)
    const look = (fails = false) =>
      its.news(async (now) => {
        taken.push(now)
        if (fails) throw new Error('refused')
      })
    return { its, state, taken, look, levels: () => lines.map(([level]) => level) }
  }

  test('are taken once', async () => {
    const { state, taken, look } = seen('a')
    await look()
    state.text = 'b'
    await look()
    await look()
    expect(taken).toEqual(['b'])
  })

  test('are read again where they were refused', async () => {
    const { state, taken, look } = seen('a')
    state.text = 'b'
    await expect(look(true)).rejects.toThrow('refused')
    await look()
    await look()
    expect(taken).toEqual(['b', 'b'])
  })

  test('are none of what was written here', async () => {
    const { its, state, taken, look } = seen('a')
    await its.write('b')
    await look()
    expect([state.text, taken]).toEqual(['b', []])
    state.text = 'a'
    await look()
    expect(taken).toEqual(['a'])
  })

  test('are logged once where the file is missing, and when it is back', async () => {
    const { state, taken, look, levels } = seen('a')
    state.text = undefined
    await look()
    await look()
    state.text = 'a'
    await look()
    await look()
    expect([taken, levels()]).toEqual([[], ['warn', 'info']])
  })

  test('are none without a file, then or ever', async () => {
    const { taken, look, levels } = seen(undefined)
    await look()
    await createSeenFile(undefined, 'a', memoryLog().log).news(async (now) => void taken.push(now))
    expect([taken, levels()]).toEqual([[], []])
  })

  test('after a write are logged again where the file is missing again', async () => {
    const { its, state, look, levels } = seen('a')
    state.text = undefined
    await look()
    await its.write('b')
    state.text = undefined
    await look()
    expect(levels()).toEqual(['warn', 'warn'])
  })
})

describe('the folder of a deleted tenant', () => {
  const NOW = 1_700_000_000_000
  const folder = () => tenantDirectory(rules, 'a')
  const tree = () => readdirSync(rules, { recursive: true, encoding: 'utf8' }).toSorted()
  const make = (text: string) => {
    mkdirSync(folder(), { recursive: true })
    writeFileSync(join(folder(), 'fee.json'), text)
  }

  test('is moved aside with its files, and back', async () => {
    make('{}')
    const before = tree()
    const back = await moveToDeleted(nodeDisk, rules, 'a', NOW)
    expect(tree()).toContain(`.deleted-tenants/a-${NOW}/fee.json`)
    expect(existsSync(folder())).toBe(false)
    await back?.()
    expect(tree().filter((one) => !one.startsWith('.deleted'))).toEqual(before)
  })

  test('does not replace one that was deleted in the same millisecond', async () => {
    for (const text of ['1', '2', '3']) {
      make(text)
      await moveToDeleted(nodeDisk, rules, 'a', NOW)
    }
    const texts = [0, 1, 2].map((after) =>
      readFileSync(join(rules, '.deleted-tenants', `a-${NOW + after}`, 'fee.json'), 'utf8'),
    )
    expect(texts).toEqual(['1', '2', '3'])
  })

  test('that does not exist is not moved', async () => {
    expect([await moveToDeleted(nodeDisk, rules, 'a', NOW), tree()]).toEqual([undefined, []])
  })
})
