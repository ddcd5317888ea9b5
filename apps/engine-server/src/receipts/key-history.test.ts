import { mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { keysIn, noteKey } from './key-history.ts'
import { newKey, publicTextOf } from './keeper.testing.ts'

/* The public keys of a directory of receipts, with their validities. */

const newDirectory = () => mkdtempSync(join(tmpdir(), 'engine-keys-'))
const [one, other] = [newKey(), newKey()]
const listed = async (directory: string) =>
  (await keysIn(directory)).map(({ public_key, from, until }) => [public_key, from, until])

describe('the keys of a directory', () => {
  test('begin with none', async () => {
    expect(await keysIn(newDirectory())).toEqual([])
  })

  test('keep the beginning of a key that signs still, and end the one before', async () => {
    const directory = newDirectory()
    await noteKey(directory, one, 1, 2)
    await noteKey(directory, one, 3, 4)
    expect(await listed(directory)).toEqual([[publicTextOf(one), 1, null]])
    await noteKey(directory, other, 5, 6)
    expect(await listed(directory)).toEqual([
      [publicTextOf(one), 1, 6],
      [publicTextOf(other), 5, null],
    ])
  })

  test('have a key that returns once, from its first beginning on, and no other end again', async () => {
    const directory = newDirectory()
    const third = newKey()
    await noteKey(directory, one, 1, 2)
    await noteKey(directory, other, 3, 4)
    await noteKey(directory, third, 5, 6)
    await noteKey(directory, one, 7, 8)
    expect(await listed(directory)).toEqual([
      [publicTextOf(other), 3, 6],
      [publicTextOf(third), 5, 8],
      [publicTextOf(one), 1, null],
    ])
  })

  test.each<[title: string, content: (text: string) => string, message: RegExp]>([
    ['no JSON', () => '{', /`.*keys\.json` is not a list of keys: .*Restore it, or remove it/],
    ['no key', () => '{"keys":[{"public_key":"x"}]}', /is not a list of keys/],
    ['one key instead of a list', () => `${publicTextOf(one)}\n`, /is one key, and no list/],
  ])('are refused where the file has %s, and stay as they are', async (_, content, message) => {
    const directory = newDirectory()
    await noteKey(directory, one, 1, 2)
    const path = join(directory, 'keys.json')
    const changed = content(readFileSync(path, 'utf8'))
    writeFileSync(path, changed)
    await expect(keysIn(directory)).rejects.toThrow(message)
    await expect(noteKey(directory, other, 3, 4)).rejects.toMatchObject({ name: 'KeyHistoryError' })
    expect(readFileSync(path, 'utf8')).toBe(changed)
  })

  test('are refused where the file has more than 4 MiB', async () => {
    const directory = newDirectory()
    await noteKey(directory, one, 1, 2)
    truncateSync(join(directory, 'keys.json'), 4 * 1024 * 1024 + 1)
    await expect(keysIn(directory)).rejects.toThrow(/keys\.json`: /)
  })
})
