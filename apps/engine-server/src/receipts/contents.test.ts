import { canonicalText } from '@engine/receipts'
import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { storedRuleset } from '../store/store.ts'
import { KeptContents } from './contents.ts'

const newDirectory = () => mkdtempSync(join(tmpdir(), 'engine-contents-'))
const stored = (name: string, more: object = {}) =>
  storedRuleset({
    config: { name, entry_step: 'end', ...more },
    steps: { end: { id: 'end', type: 'terminal', result: { code: 'OK', message: '' } } },
  })
const CONTRACT = { mode: 'enforce', contract: { name: 'c', version: '1.0.0', input: { fields: [] }, outputs: [] } }

describe('the contents that decided', () => {
  test('are on disk once, under their digest', async () => {
    const directory = newDirectory()
    const adult = stored('adult')
    const contents = new KeptContents(directory)
    const [one, other] = await Promise.all([contents.of(adult), contents.of(adult)])
    expect(one).toBe(other)
    expect(contents.of(adult)).toBe(one)
    expect(readdirSync(join(directory, 'content'))).toEqual([`${one.digest}.json`])
    expect(readFileSync(join(directory, 'content', `${one.digest}.json`), 'utf8')).toBe(adult.text)
    expect((await new KeptContents(directory).of(stored('adult'))).digest).toBe(one.digest)
  })

  test('have the digest of their contract, where they have one', async () => {
    const contents = new KeptContents(newDirectory())
    expect((await contents.of(stored('plain'))).parts.contract).toBe('')
    const digest = hash('sha256', canonicalText(CONTRACT), 'hex')
    expect((await contents.of(stored('held', { contract: CONTRACT }))).parts.contract).toBe(`"contract":"${digest}",`)
  })

  test('are tried again after a failure of the disk', async () => {
    const directory = newDirectory()
    const contents = new KeptContents(directory)
    const adult = stored('adult')
    writeFileSync(join(directory, 'content'), 'a file instead of a folder')
    await expect(contents.of(adult)).rejects.toThrow(/EEXIST|ENOTDIR/)
    rmSync(join(directory, 'content'))
    expect((await contents.of(adult)).digest).toMatch(/^[0-9a-f]{64}$/)
  })
})
