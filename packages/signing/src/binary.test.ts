import type { RulesetDocument } from '@engine/ruleset'
import { crc32, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { BadBinary, decodeBinary, encodeBinary, isBinary } from './binary.ts'
import { generateKeys, parsePrivateKey } from './keys.ts'
import { sign } from './sign.ts'
import { signatureOf } from './signature.ts'
import { verify } from './verify.ts'

const document: RulesetDocument = {
  config: { name: 'limit', version: '1.0.0', entry_step: 'end' },
  steps: { end: { id: 'end', type: 'terminal', result: { code: 'OK', message: 'ok', limit: 9007199254740993n } } },
}
const signable: RulesetDocument = { ...document, steps: { end: { id: 'end', type: 'terminal' } } }
const keys = generateKeys()
const signed = sign(signable, parsePrivateKey(keys.privateKey), '2026-11-21T00:00:00.000Z')
const file = encodeBinary(signed)
const trusted = new Set([keys.publicKey])

/** A file around any payload, with a matching checksum and length. */
function around(payload: Buffer, header: Buffer = file.subarray(0, 6), block: Buffer = Buffer.alloc(0)): Buffer {
  const rest = Buffer.alloc(8)
  rest.writeUInt32LE(crc32(payload), 0)
  rest.writeUInt32LE(payload.length, 4)
  return Buffer.concat([header, rest, block, payload])
}

const UNSIGNED = Buffer.from('ENGR\x01\x00', 'latin1')

/** The result of a server that requires signatures: the document, or a rejection. */
function judged(bytes: Uint8Array): 'accepted' | 'refused' {
  try {
    const found = decodeBinary(bytes)
    const signature = signatureOf(found)
    return signature !== undefined && verify(found, signature, trusted) === undefined ? 'accepted' : 'refused'
  } catch (error) {
    if (error instanceof BadBinary) return 'refused'
    throw error
  }
}

describe('the compiled binary', () => {
  test('has the layout of specification 8', () => {
    expect(file.toString('latin1', 0, 4)).toBe('ENGR')
    expect([...file.subarray(4, 6)]).toEqual([1, 1])
    expect(file.readUInt32LE(6)).toBe(crc32(file.subarray(110)))
    expect(file.readUInt32LE(10)).toBe(file.length - 110)
    expect(file.toString('base64', 14, 46)).toBe(keys.publicKey)
    expect(file.toString('base64', 46, 110)).toBe(signatureOf(signed)?.signature)
  })

  test('gives back the document: integers exact, the signature of the header embedded and still good', () => {
    expect(decodeBinary(encodeBinary(document))).toEqual(document)
    const found = decodeBinary(file)
    const { public_key, signature } = signatureOf(signed) ?? expect.unreachable()
    expect(found).toEqual({ ...signable, _signature: { algorithm: 'ed25519', public_key, signature } })
    expect(judged(file)).toBe('accepted')
  })

  test('is distinguished from JSON by its tag', () => {
    expect([isBinary(file), isBinary(Buffer.from('{}')), isBinary(Buffer.alloc(0))]).toEqual([true, false, false])
  })

  const payload = file.subarray(110)
  const json = (text: string) => around(zstdCompressSync(Buffer.from(text)), UNSIGNED)
  const changed = (offset: number, byte: number) => {
    const bytes = Buffer.from(file)
    bytes[offset] = byte
    return bytes
  }
  test.each<[string, Uint8Array, string]>([
    ['nothing', Buffer.alloc(0), 'it does not start with the tag `ENGR` of a compiled ruleset'],
    ['JSON', Buffer.from('{"config":{}}'), 'it does not start with the tag `ENGR` of a compiled ruleset'],
    ['half a header', file.subarray(0, 9), 'it ends within its header, after 9 bytes'],
    ['another version', changed(4, 2), 'its format version is 2, and this program reads 1'],
    ['an unknown flag', changed(5, 3), 'it has flags (3) that this program does not know'],
    ['the flag cleared', changed(5, 0), `its header declares ${file.length - 96} bytes, but it has ${file.length}`],
    [
      'a truncated file',
      file.subarray(0, -1),
      `its header declares ${file.length} bytes, but it has ${file.length - 1}`,
    ],
    [
      'a byte too many',
      Buffer.concat([file, Buffer.alloc(1)]),
      `its header declares ${file.length} bytes, but it has ${file.length + 1}`,
    ],
    ['a length of 4 GiB', changed(13, 255), /^its header declares 4\d{9} bytes/.source],
    ['another checksum', changed(6, (file[6] ?? 0) ^ 1), 'its checksum does not match its payload'],
    ['no zstd', around(Buffer.from('hello'), UNSIGNED), 'its payload is not valid zstd'],
    ['half a frame', around(payload.subarray(0, -3), UNSIGNED), 'its payload is not valid zstd'],
    [
      'something after the frame',
      around(Buffer.concat([payload, Buffer.from('x')]), UNSIGNED),
      'its payload has data after its zstd frame',
    ],
    ['two frames', around(Buffer.concat([payload, payload]), UNSIGNED), 'its payload is not JSON: '],
    [
      'a bomb',
      around(zstdCompressSync(Buffer.alloc(256 * 1024 * 1024)), UNSIGNED),
      'its payload expands to more than 67108864 bytes',
    ],
    ['no UTF-8', around(zstdCompressSync(Buffer.from([0x22, 0xff, 0x22])), UNSIGNED), 'its payload is not valid UTF-8'],
    ['no JSON', json('{"a":'), 'its payload is not JSON: '],
    ['a key twice', json('{"a":1,"a":2}'), 'its payload is not JSON: '],
    ['too deep', json('['.repeat(1000)), 'its payload is not JSON: '],
    ['a list', json('[]'), 'its payload is not a JSON object'],
    [
      'a signature in the payload',
      json('{"_signature":{}}'),
      'its payload contains a `_signature`, which belongs in the header',
    ],
  ])('%s: refused with the reason', (_, bytes, reason) => {
    expect(() => decodeBinary(bytes)).toThrow(BadBinary)
    expect(() => decodeBinary(bytes)).toThrow(new RegExp(reason.startsWith('^') ? reason : RegExp.escape(reason)))
  })

  test('every flipped bit of a signed file is noticed', () => {
    for (let bit = 0; bit < file.length * 8; bit++)
      expect(judged(changed(bit >> 3, (file[bit >> 3] ?? 0) ^ (1 << (bit & 7)))), `bit ${bit}`).toBe('refused')
  })

  // Limited by the number of cases, not by time: the timeout only ends a hanging test.
  const mutations = casesOf(100_000)
  test(`${mutations} mutations: none is accepted with other content, none fails without a reason`, async () => {
    printSeed(mutations)
    const random = seeded(SEED)
    const canonical = JSON.stringify(decodeBinary(file))
    const before = process.memoryUsage().rss
    for (let run = 0; run < mutations; run++) {
      // Node frees a failed decoder when the event loop turns.
      if (run % 100 === 0) await new Promise(setImmediate)
      const bytes = mutated(random)
      if (judged(bytes) === 'accepted') expect(JSON.stringify(decodeBinary(bytes))).toBe(canonical)
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024)
  }, 1_200_000)

  /**
   * Bytes changed, removed or duplicated; mostly with checksum and length corrected, to reach the code behind these
   * checks.
   */
  function mutated(random: (below: number) => number): Buffer {
    const whole = random(10) === 0
    let part = Buffer.from(whole ? file : payload)
    for (let changes = 1 + random(4); changes > 0; changes--) {
      const at = random(part.length)
      const kind = random(4)
      if (kind === 0) part[at] = random(256)
      else if (kind === 1) part[at] = (part[at] ?? 0) ^ (1 << random(8))
      else if (kind === 2) part = Buffer.concat([part.subarray(0, at), part.subarray(at + 1 + random(8))])
      else part = Buffer.concat([part.subarray(0, at), part.subarray(at, at + random(16)), part.subarray(at)])
    }
    return whole ? part : around(part, file.subarray(0, 6), file.subarray(14, 110))
  }
})

/** Seeded integers below a limit (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

test('a file begins with the tag ENGR, and nothing else is taken for one', () => {
  expect(file.subarray(0, 4).toString('latin1')).toBe('ENGR')
  expect(['{"config": {}}', 'ENG', 'engr', ''].map((text) => isBinary(Buffer.from(text)))).toEqual([
    false,
    false,
    false,
    false,
  ])
})
