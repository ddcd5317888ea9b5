import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chainFolder, chainsOf, linesOf, segmentsOf } from './segments.ts'

/* Files and folders of chains, and their lines. */

const newDirectory = () => mkdtempSync(join(tmpdir(), 'engine-segments-'))
const [OLD, NEW] = ['01990000-0000-7000-8000-000000000000', '01990000-0000-7000-8000-000000000001']

describe('the lines of a file', () => {
  const fileOf = (content: string | Buffer) => {
    const path = join(newDirectory(), 'receipts-0.jsonl')
    writeFileSync(path, content)
    return path
  }
  // More than one piece of a stream, with characters of several bytes.
  const long = 'ä'.repeat(50_000)

  test.each<[title: string, content: string, from: number, lines: readonly [string, number, number][]]>([
    ['none', '', 0, []],
    ['a half one alone', 'a', 0, []],
    [
      'whole ones',
      'a\nbc\n',
      0,
      [
        ['a', 0, 2],
        ['bc', 2, 5],
      ],
    ],
    ['whole ones before a half one', 'a\nbc', 0, [['a', 0, 2]]],
    [
      'empty ones',
      '\n\na\n',
      0,
      [
        ['', 0, 1],
        ['', 1, 2],
        ['a', 2, 4],
      ],
    ],
    [
      'those from a place on',
      'a\nbc\nd\n',
      2,
      [
        ['bc', 2, 5],
        ['d', 5, 7],
      ],
    ],
    ['those from its end on', 'a\n', 2, []],
    [
      'bytes, and not characters, are counted',
      'ä\nb\n',
      0,
      [
        ['ä', 0, 3],
        ['b', 3, 5],
      ],
    ],
    [
      'one that comes in several pieces',
      `a\n${long}${long}\nb\n`,
      0,
      [
        ['a', 0, 2],
        [long + long, 2, 200_003],
        ['b', 200_003, 200_005],
      ],
    ],
    [
      'one that comes in several pieces, from a place on',
      `a\n${long}\n${long}\nb\n`,
      2,
      [
        [long, 2, 100_003],
        [long, 100_003, 200_004],
        ['b', 200_004, 200_006],
      ],
    ],
  ])('%s', async (_, content, from, lines) => {
    const found = await Array.fromAsync(linesOf(fileOf(content), from))
    expect(found.map(({ text, start, end }) => [text, start, end])).toEqual(lines)
  })
})

describe('a directory of chains', () => {
  test('has those with the name of one, for each instance from the oldest to the newest', async () => {
    const directory = newDirectory()
    const chains = [`eu-1.${NEW}`, `eu-1.w2.${OLD}`, `eu-1.${OLD}`]
    for (const name of [...chains, 'content', 'eu-1', `.${OLD}`, `a b.${OLD}`, `eu-1.w100.${OLD}`, `eu-1.${OLD}.old`])
      mkdirSync(join(directory, name))
    expect(await chainsOf(directory)).toEqual([
      { instance: `eu-1/${OLD}`, id: 'eu-1', path: join(directory, `eu-1.${OLD}`) },
      { instance: `eu-1/${NEW}`, id: 'eu-1', path: join(directory, `eu-1.${NEW}`) },
      { instance: `eu-1.w2/${OLD}`, id: 'eu-1.w2', path: join(directory, `eu-1.w2.${OLD}`) },
    ])
  })

  test('that is not there has none, and neither has a missing folder segments', async () => {
    const missing = join(newDirectory(), 'missing')
    expect(await chainsOf(missing)).toEqual([])
    expect(await segmentsOf(missing)).toEqual([])
  })

  test('that cannot be read is an error of the system', async () => {
    const file = join(newDirectory(), 'file')
    writeFileSync(file, '')
    await expect(chainsOf(file)).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  test('has the segments of a chain in the order of their numbers', async () => {
    const folder = newDirectory()
    for (const name of ['receipts-10.jsonl', 'receipts-9.jsonl', 'receipts-0.jsonl', 'evidence-9.jsonl', 'closed'])
      writeFileSync(join(folder, name), '')
    for (const name of ['receipts-.jsonl', 'receipts-1.jsonl.old', 'old-receipts-1.jsonl', 'receipts--1.jsonl'])
      writeFileSync(join(folder, name), '')
    expect(await segmentsOf(folder)).toEqual([0, 9, 10].map((n) => ({ n, path: join(folder, `receipts-${n}.jsonl`) })))
  })

  test.each<[instance: string, folder: string | undefined]>([
    [`eu-1/${OLD}`, `eu-1.${OLD}`],
    [`eu-1.w2/${OLD}`, `eu-1.w2.${OLD}`],
    [`eu-1.${OLD}`, undefined],
    [`eu-1.w2.${OLD}`, undefined],
    [`eu-1/${OLD.toUpperCase().replace('01990000', 'AB990000')}`, undefined],
    [`eu-1/w2/${OLD}`, undefined],
  ])('names the folder of `%s`', (instance, folder) => {
    expect(chainFolder('/receipts', instance)?.path).toBe(folder && join('/receipts', folder))
  })
})
