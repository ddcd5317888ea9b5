import { gzipSync } from 'node:zlib'
import { filled, type PlatformRow, post, repeated } from './row.ts'

const NEW = '/api/v1/orgs/{oid}/projects/import'

/** A header of a tar archive, with its checksum (POSIX.1-2017, ustar interchange format). */
function header(name: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(512)
  block.write(name, 0)
  block.write('0000644\0', 100)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function entry(name: string, body: string, type = '0'): Buffer {
  const bytes = Buffer.from(body)
  const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512)
  return Buffer.concat([header(name, bytes.length, type), bytes, padding])
}

/** Records of an extended header with different names. */
function records(count: number, names: (index: number) => string): string {
  return repeated(
    count,
    (index) => {
      const rest = ` ${names(index)}=1\n`
      const length = rest.length + String(rest.length + 2).length
      return `${length}${rest}`
    },
    '',
  )
}

const archive = (name: string, entries: () => readonly Buffer[], times?: number): PlatformRow => ({
  name: `archive: ${name}`,
  request: () => post(NEW, gzipSync(Buffer.concat(entries())), 'application/gzip'),
  ...(times !== undefined && { times }),
})

const many = (count: number, one: Buffer) => [Buffer.alloc(count * one.length, one)]
const json = (path: string, text: string, project = '{}') =>
  post(
    NEW,
    JSON.stringify({
      files: [
        { path: 'project.json', text: project },
        { path, text },
      ],
    }),
  )

export const ARCHIVES: readonly PlatformRow[] = [
  archive('155,000 empty entries', () => many(155_000, entry('a', ''))),
  archive('4 of 155,000 empty entries', () => many(155_000, entry('a', '')), 4),
  archive('155,000 folders', () => many(155_000, entry('a/', '', '5'))),
  archive('an extended header of 300,000 records', () => [
    entry(
      'pax',
      records(300_000, (at) => `k${at}`),
      'x',
    ),
    entry('a', ''),
  ]),
  archive('5 extended headers of 100,000 records', () =>
    many(
      5,
      entry(
        'pax',
        records(100_000, (at) => `k${at}`),
        'x',
      ),
    ),
  ),
  archive('78 extended headers of 120,000 records', () =>
    many(
      78,
      entry(
        'pax',
        records(120_000, (at) => `k${at % 4096}`),
        'x',
      ),
    ),
  ),
  archive('85 extended headers of 110,000 names', () =>
    Array.from({ length: 40 }, (_, header_) =>
      entry(
        'pax',
        records(55_000, (at) => `k${header_}-${at}`),
        'x',
      ),
    ),
  ),
  archive('150,000 extended headers', () => many(150_000, entry('pax', '', 'x'))),
  archive('70,000 long names of GNU tar', () => many(70_000, entry('././@LongLink', 'a'.repeat(400), 'L'))),
  archive('a bomb of 1 GB', () => [header('a.json', 1_000_000_000, '0'), Buffer.alloc(200_000_000)]),
  archive('a file of 50 MB', () => [entry('project.json', filled(50_000_000, 'x'))]),
  archive('19,000 files of 2.5 KB', () =>
    Array.from({ length: 19_000 }, (_, at) =>
      entry(`facts/f${at}.json`, `{"name":"f${at}","type":"string","x":"${'y'.repeat(2400)}"}`),
    ),
  ),
  archive(
    '4 of 36 MB',
    () => Array.from({ length: 4 }, (_, at) => entry(`rulesets/r${at}.json`, `[${filled(9_000_000, '{},')}{}]`)),
    4,
  ),
  archive('YAML of 9 MB', () => [
    entry(
      'tests/a/b.yaml',
      repeated(600_000, (at) => `k${at}: 1`, '\n'),
    ),
  ]),
  { name: 'archive: no gzip', request: () => post(NEW, filled(50_000_000, 'x'), 'application/gzip') },
  {
    name: 'archive: 1 GB of zeros in gzip, no tar',
    request: () => post(NEW, gzipSync(Buffer.alloc(400_000_000, 'x')), 'application/gzip'),
  },
  { name: 'files: 9 MB of {}', request: () => json('rulesets/a.json', `[${filled(9_000_000, '{},')}{}]`) },
  { name: 'files: 45 MB of {}', request: () => json('rulesets/a.json', `[${filled(45_000_000, '{},')}{}]`) },
  {
    name: 'files: YAML of 600,000 keys',
    request: () =>
      json(
        'tests/a/b.yaml',
        repeated(600_000, (at) => `k${at}: 1`, '\n'),
      ),
  },
  { name: 'files: nesting of 5,000,000', request: () => json('rulesets/a.json', '['.repeat(5_000_000)) },
  {
    name: 'files: 500,000',
    request: () => post(NEW, `{"files":[${repeated(500_000, (at) => `{"path":"facts/f${at}.json","text":"{}"}`)}]}`),
  },
]
