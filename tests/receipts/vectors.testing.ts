import {
  keyId,
  leafHash,
  merkleTree,
  pathOf,
  type Receipt,
  receiptOf,
  type FaultCode,
  ReceiptLog,
  rootOf,
  type SignedTree,
} from '@engine/receipts'
import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import { linesOf, START, testChain, testKey } from './chains.testing.ts'

/** One receipt, and the codes of its faults in any order. */
export interface ReceiptVector {
  readonly name: string
  readonly text: string
  readonly faults: readonly FaultCode[]
}

/** The segments of one log as texts by file name. */
export interface LogVector {
  readonly name: string
  readonly segments: Readonly<Record<string, string>>
  readonly faults: readonly FaultCode[]
  readonly anchor: number | null
}

export interface KeyVector {
  readonly name: string
  readonly text: string
  /** Ids of the keys; null: the text is refused. */
  readonly ids: readonly string[] | null
}

export interface TreeVector {
  /** The leaves are `leaf 0`, `leaf 1` and so on. */
  readonly count: number
  readonly root: string
  readonly paths: Readonly<Record<string, readonly string[]>>
}

export interface Vectors {
  readonly about: string
  /** The text of the keys that verify `receipts` and `logs`. */
  readonly keys: string
  readonly trees: readonly TreeVector[]
  readonly keyFiles: readonly KeyVector[]
  readonly receipts: readonly ReceiptVector[]
  readonly logs: readonly LogVector[]
}

const first = testKey('first')
const second = testKey('second')
const expired = testKey('expired')
const stranger = testKey('stranger')
const idOf = (key: KeyObject) => keyId(createPublicKey(key))

const KEYS = JSON.stringify({
  keys: [
    { key: idOf(first.privateKey), public_key: first.publicText },
    { public_key: second.publicText, from: START, until: null },
    { public_key: expired.publicText, from: 0, until: START - 1 },
  ],
})

export function createVectors(): Vectors {
  return {
    about:
      'Receipts, logs, keys and trees with the faults that a verifier must find. Read by tests/receipts/vectors.test.ts and tests/receipts/run_vectors.py; written by tests/receipts/make-vectors.ts.',
    keys: KEYS,
    trees: [1, 2, 3, 7, 8, 1000].map(treeVector),
    keyFiles: keyVectors(),
    receipts: receiptVectors(),
    logs: logVectors(),
  }
}

function treeVector(count: number): TreeVector {
  const tree = merkleTree(Array.from({ length: count }, (_, index) => leafHash(`leaf ${index}`)))
  const shown = [...new Set([0, 1, Math.floor(count / 2), count - 2, count - 1])].filter(
    (index) => index >= 0 && index < count,
  )
  const paths = shown.map((index) => [String(index), pathOf(tree, index).map(text64)] as const)
  return { count, root: text64(rootOf(tree)), paths: Object.fromEntries(paths) }
}

const text64 = (bytes: Buffer) => bytes.toString('base64url')

function keyVectors(): readonly KeyVector[] {
  const { publicText } = first
  const id = idOf(first.privateKey)
  const raw = (hex: string) => Buffer.from(hex, 'hex').toString('base64')
  const listed = (...keys: readonly unknown[]) => JSON.stringify({ keys })
  const refused = (name: string, text: string): KeyVector => ({ name, text, ids: null })
  return [
    { name: 'one line', text: `${publicText}\n`, ids: [id] },
    {
      name: 'a list of two',
      text: listed({ public_key: publicText }, { public_key: second.publicText }),
      ids: [id, idOf(second.privateKey)],
    },
    { name: 'an empty list', text: listed(), ids: [] },
    refused('nothing', ''),
    refused('hexadecimal', Buffer.from(publicText, 'base64').toString('hex')),
    refused('31 bytes', raw('ab'.repeat(31))),
    refused('33 bytes', raw('ab'.repeat(33))),
    refused('no padding', publicText.replace('=', '')),
    refused(
      'unused bits',
      publicText.replace(/.=$/, (end) => `${end[0] === 'B' ? 'C' : 'B'}=`),
    ),
    refused('a point of small order: 0', raw('00'.repeat(32))),
    refused('a point of small order: 1', raw(`01${'00'.repeat(31)}`)),
    refused('a point of small order: 8', raw('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')),
    refused(
      'a point of small order: 8, negative',
      raw('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85'),
    ),
    refused('a point of small order: -1', raw(`ec${'ff'.repeat(30)}7f`)),
    refused('a list with a private member', listed({ public_key: publicText, private_key: 'x' })),
    refused('a list with a wrong id', listed({ key: '0'.repeat(16), public_key: publicText })),
    refused('a list with one key twice', listed({ public_key: publicText }, { public_key: publicText })),
    refused('a list of texts', listed(publicText)),
    refused('a time as text', listed({ public_key: publicText, from: '2026' })),
    refused('a time below zero', listed({ public_key: publicText, from: -1 })),
    refused('a span that ends before it begins', listed({ public_key: publicText, from: 2, until: 1 })),
    refused('a member twice', `{"keys":[],"keys":[]}`),
    refused('an object without keys', '{}'),
    refused('JSON that is cut', '{"keys":['),
  ]
}

/** A text with one part replaced, which must be there. */
function changed(text: string, part: string, other: string): string {
  if (!text.includes(part)) throw new Error(`${part} is not in ${text}`)
  return text.replace(part, () => other)
}

/** The receipt of a decision with another text of its input. */
function committedAs(inputText: string): Receipt {
  const chain = testChain(first.privateKey)
  const seq = chain.add({ input: {}, inputText })
  return chain.receipt(chain.sign(), seq)
}

/** Signs any text as a checkpoint, with members that a log would not write. */
function signedAs(text: string, key: KeyObject): Pick<Receipt, 'checkpoint' | 'signature'> {
  return { checkpoint: text, signature: text64(sign(null, Buffer.from(`engine-checkpoint/1\n${text}`), key)) }
}

/** The receipt of one text as the only leaf of a tree that is signed. */
function aloneOf(entry: string, seq = 0): Receipt {
  const log = new ReceiptLog({
    instance: 'eu-1/01990000-0000-7000-8000-000000000000',
    engine: '0.2.0',
    privateKey: first.privateKey,
    state: { n: 0, size: seq, prev: text64(Buffer.alloc(32)), time: START },
  })
  log.addText(entry)
  return receiptOf(log.checkpoint(START + 1000) as SignedTree, seq)
}

function receiptVectors(): readonly ReceiptVector[] {
  const chain = testChain(first.privateKey)
  const seqs = [
    chain.add({ input: { age: 21, country: 'DE' }, output: { limit: 500 }, message: 'adult' }),
    chain.add({ input: { text: 'é € \u{1F600} \u0000 \u2028 " \\ / \ud800', __proto__x: 1 }, output: { ok: true } }),
    chain.add({
      input: { large: 2n ** 64n, double: 1e20, small: 5e-324, zero: -0 },
      output: { sum: 9007199254740993n },
    }),
    chain.add({ input: {}, error: 'no-branch' }),
    chain.add({
      input: { id: 'c-1' },
      calls: [
        {
          step: 's',
          service: 'network.http',
          method: 'get',
          parameters: { url: 'https://a.example' },
          answer: { payload: 1 },
        },
      ],
      uses: [{ digest: '0'.repeat(64), name: 'other' }],
    }),
    chain.add({
      input: { customer: { id: 'c-1842', name: 'A' }, order: { total: 5 } },
      fields: ['customer.id', 'order', 'absent'],
    }),
    chain.add({ input: { code: 'lone' }, code: 'half \ud800' }),
  ]
  const signed = chain.sign()
  const all = seqs.map((seq) => chain.receipt(signed, seq))
  const [plain, , , failed, called, fields] = all as [Receipt, Receipt, Receipt, Receipt, Receipt, Receipt]
  const good = (name: string, receipt: unknown): ReceiptVector => ({ name, text: JSON.stringify(receipt), faults: [] })
  const bad = (name: string, receipt: unknown, ...faults: FaultCode[]): ReceiptVector => ({
    name,
    text: typeof receipt === 'string' ? receipt : JSON.stringify(receipt),
    faults,
  })
  const malformed = (name: string, receipt: unknown) => bad(name, receipt, 'malformed')
  const { evidence: _, ...bare } = plain
  const { evidence } = plain
  const shown = { ...evidence } as Record<string, readonly [string, string]>
  const [salt, text] = shown['input'] as [string, string]
  const { input: _input, ...withoutInput } = fields.evidence ?? {}
  const { 'customer.id': id, order } = fields.evidence?.fields ?? {}
  const text0 = JSON.stringify(plain)
  const entryOf = (part: string, other: string) => aloneOf(changed(plain.entry, part, other))
  const checkpointOf = (part: string, other: string) => ({
    ...bare,
    ...signedAs(changed(plain.checkpoint, part, other), first.privateKey),
  })
  const byKey = (key: KeyObject) => signedAs(changed(plain.checkpoint, idOf(first.privateKey), idOf(key)), key)
  return [
    ...all.map((receipt, index) => good(`receipt ${index} of a tree of 7`, receipt)),
    good('without evidence', bare),
    good('with a part of the evidence', { ...plain, evidence: { output: shown['output'] } }),
    good('with one of two fields', { ...fields, evidence: { ...fields.evidence, fields: { 'customer.id': id } } }),
    { name: 'with white space between the members', text: JSON.stringify(plain, undefined, 2), faults: [] },
    good('alone in its tree', aloneOf(plain.entry)),
    { name: 'a number with an exponent', text: changed(text0, '"index":0', '"index":0e0'), faults: [] },
    good('signed by the second key', { ...bare, ...byKey(second.privateKey) }),

    malformed('nothing', ''),
    malformed('no JSON', 'receipt'),
    malformed('a list', '[]'),
    malformed('null', 'null'),
    malformed('cut', text0.slice(0, -1)),
    malformed('something behind it', `${text0}x`),
    malformed('a byte order mark', `\ufeff${text0}`),
    malformed('a member twice', changed(text0, '"index":0', '"index":1,"index":0')),
    malformed('a member of the evidence twice', changed(text0, '"evidence":{', '"evidence":{"input":[],')),
    malformed('an unknown member', { ...plain, note: 'approved' }),
    malformed('a key in the receipt', { ...plain, public_key: first.publicText }),
    malformed('an unknown part of the evidence', { ...plain, evidence: { ...evidence, inputs: [salt, text] } }),
    malformed('another format', { ...plain, format: 'engine-receipt/2' }),
    malformed('no format', changed(text0, '"format":"engine-receipt/1",', '')),
    malformed('no path', changed(text0, '"path":', '"paht":')),
    malformed('a path that is a text', { ...plain, path: plain.path[0] }),
    malformed('a path with a short hash', { ...plain, path: plain.path.map((one) => one.slice(0, -2)) }),
    malformed('a path with padding', { ...plain, path: plain.path.map((one) => `${one}=`) }),
    malformed('a path with unused bits', { ...plain, path: [unusedBits(plain.path[0] ?? ''), ...plain.path.slice(1)] }),
    malformed('an index below zero', { ...plain, index: -1 }),
    malformed('an index with a fraction', { ...plain, index: 0.5 }),
    malformed('an index as text', { ...plain, index: '0' }),
    malformed('an index that is true', { ...plain, index: true }),
    malformed('an index beyond 2^53', changed(text0, '"index":0', '"index":9007199254740992')),
    malformed('an index out of range', changed(text0, '"index":0', '"index":1e999')),
    malformed('evidence that is null', { ...plain, evidence: null }),
    malformed('evidence without a salt', { ...plain, evidence: { input: [text] } }),
    malformed('evidence with a short salt', { ...plain, evidence: { input: [salt.slice(0, -2), text] } }),
    malformed('evidence with a value for its text', { ...plain, evidence: { input: [salt, { age: 21 }] } }),
    malformed('evidence with half a surrogate pair', { ...plain, evidence: { input: [salt, '\ud800'] } }),
    malformed('nested a thousand deep', `${'['.repeat(1000)}${']'.repeat(1000)}`),
    malformed('a checkpoint that is an object', { ...plain, checkpoint: JSON.parse(plain.checkpoint) }),

    malformed('a committed input with a member twice', committedAs('{"age":17,"age":21}')),
    malformed('a committed input with a member of a member twice', committedAs('{"a":[{"b":1,"b":2}]}')),
    malformed('a committed input that is no JSON', committedAs('{"age":')),
    malformed('a committed input with something behind it', committedAs('{} {}')),
    malformed('a committed input with a number that is none', committedAs('{"age":NaN}')),

    malformed('an entry with a member twice', entryOf('"seq":0', '"seq":0,"seq":0')),
    malformed('an entry with an unknown member', entryOf('"v":1', '"v":1,"w":1')),
    malformed('an entry of another version', entryOf('"v":1', '"v":2')),
    malformed('an entry of version true', entryOf('"v":1', '"v":true')),
    malformed('an entry without tenant', entryOf('"tenant":"default",', '')),
    malformed('an entry with result and error', entryOf('"instance"', '"error":"timeout","instance"')),
    malformed(
      'an entry with neither',
      aloneOf(changed(failed.entry, '"error":"no-branch",', '').replace('"seq":3', '"seq":0')),
    ),
    malformed('an entry with a digest in capitals', entryOf('"digest":"', '"digest":"A')),
    malformed('an entry with a bare output', entryOf('"output":"', '"output":"x')),
    malformed('an entry without an instance', entryOf('eu-1/01990000-0000-7000-8000-000000000000', '')),
    malformed('an entry with a time as text', entryOf('"time":', '"time":"1","x":')),
    malformed('an entry that uses a text', entryOf('"uses":[]', '"uses":["a"]')),
    malformed('an entry that uses nothing', entryOf('"uses":[]', '"uses":null')),
    malformed('an entry with a short contract', entryOf('{', '{"contract":"0",')),
    malformed('a gap', aloneOf('{"lost":3,"seq":0}')),
    malformed('a gap of nothing', aloneOf('{"lost":0,"seq":0}')),
    malformed('an entry that is no JSON', aloneOf('entry')),

    malformed('a checkpoint with a member twice', checkpointOf('"n":0', '"n":0,"n":0')),
    malformed('a checkpoint with an unknown member', checkpointOf('"v":1', '"v":1,"w":1')),
    malformed('a checkpoint of another version', checkpointOf('"v":1', '"v":2')),
    malformed('a checkpoint of nothing', checkpointOf('"count":7', '"count":0')),
    malformed('a checkpoint with a long key id', checkpointOf('"key":"', '"key":"0')),
    malformed('a checkpoint with a short root', checkpointOf('"root":"', '"root":"x')),
    malformed('a checkpoint that is no JSON', { ...bare, ...signedAs('checkpoint', first.privateKey) }),

    bad('an unknown key', { ...bare, ...byKey(stranger.privateKey) }, 'unknown-key'),
    bad('a key that has expired', { ...bare, ...byKey(expired.privateKey) }, 'expired-key'),
    bad(
      "a stranger's signature under a known key",
      { ...bare, ...signedAs(plain.checkpoint, stranger.privateKey) },
      'signature',
    ),
    bad(
      'a signature over the text alone',
      { ...bare, signature: text64(sign(null, Buffer.from(plain.checkpoint), first.privateKey)) },
      'signature',
    ),
    bad('no signature', { ...bare, signature: '' }, 'signature'),
    bad('a short signature', { ...bare, signature: plain.signature.slice(4) }, 'signature'),
    bad('a signature with padding', { ...bare, signature: `${plain.signature}==` }, 'signature'),
    bad('a signature with unused bits', { ...bare, signature: unusedBits(plain.signature) }, 'signature'),
    bad(
      'a signature in base64',
      { ...bare, signature: Buffer.from(plain.signature, 'base64url').toString('base64') },
      'signature',
    ),
    bad('a signature whose s is not reduced', { ...bare, signature: unreduced(plain.signature) }, 'signature'),
    bad('another checkpoint text of the same meaning', { ...bare, checkpoint: ` ${plain.checkpoint}` }, 'signature'),
    bad('another entry text of the same meaning', { ...bare, entry: ` ${plain.entry}` }, 'path'),
    bad('the entry of another receipt', { ...bare, entry: failed.entry }, 'position', 'path'),
    bad('a path that is too short', { ...bare, path: plain.path.slice(1) }, 'path'),
    bad('a path that is too long', { ...bare, path: [...plain.path, ...plain.path.slice(0, 1)] }, 'path'),
    bad('a path in reverse', { ...bare, path: plain.path.toReversed() }, 'path'),
    bad('the place of another entry', { ...bare, index: 3, path: failed.path }, 'position', 'path'),
    bad('a place behind the tree', { ...bare, index: 7 }, 'position', 'path'),
    bad('a place far behind the tree', { ...bare, index: Number.MAX_SAFE_INTEGER }, 'position', 'path'),
    bad('a number that the tree does not have', entryOf('"seq":0', '"seq":1'), 'position'),
    bad('another instance', entryOf('eu-1/', 'eu-2/'), 'instance'),
    bad('decided after it was signed', aloneOf(plain.entry.replace(/"time":\d+/, `"time":${START + 5000}`)), 'time'),
    bad('another code', { ...bare, entry: changed(plain.entry, '"ADULT"', '"MINOR"') }, 'path'),
    bad('another input', { ...plain, evidence: { input: [salt, changed(text, '21', '22')] } }, 'input'),
    bad('the input by another salt', { ...plain, evidence: { input: [shown['output']?.[0], text] } }, 'input'),
    bad('the input in another form', { ...plain, evidence: { input: [salt, ` ${text}`] } }, 'input'),
    bad('another output', { ...plain, evidence: { output: shown['input'] } }, 'output'),
    bad('another message', { ...plain, evidence: { message: shown['output'] } }, 'message'),
    bad('calls of a decision without calls', { ...plain, evidence: { calls: shown['input'] } }, 'calls'),
    bad('other calls', { ...called, evidence: { ...called.evidence, calls: called.evidence?.input } }, 'calls'),
    bad('the output of a failed decision', { ...failed, evidence: { output: shown['output'] } }, 'output'),
    bad('the message of a failed decision', { ...failed, evidence: { message: shown['message'] } }, 'message'),
    bad('another field', { ...fields, evidence: { ...fields.evidence, fields: { 'customer.id': order } } }, 'fields'),
    bad(
      'a field that is not committed to',
      { ...fields, evidence: { ...fields.evidence, fields: { 'customer.name': id } } },
      'fields',
    ),
    bad(
      'a field of no path',
      { ...fields, evidence: { ...fields.evidence, fields: { 'a.b.c': id, '': id } } },
      'fields',
      'fields',
    ),
    bad('fields without the input', { ...fields, evidence: withoutInput }, 'fields'),
  ]
}

/** The same bytes with other unused bits in the last character. */
function unusedBits(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(text.at(-1) ?? '')
  return `${text.slice(0, -1)}${alphabet[last + 1]}`
}

/** The signature with the order of the group added to its second half: a lenient verifier takes it. */
function unreduced(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url')
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  let s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
  for (let index = 32; index < 64; index++, s >>= 8n) bytes[index] = Number(s & 0xffn)
  return bytes.toString('base64url')
}

function logVectors(): readonly LogVector[] {
  const chain = testChain(first.privateKey)
  const trees: SignedTree[] = []
  for (const count of [3, 1, 4]) {
    for (let index = 0; index < count; index++) chain.add({ input: { index }, output: { index } })
    trees.push(chain.sign())
  }
  chain.log.addLost(12)
  chain.log.rotate(second.privateKey)
  trees.push(chain.sign())
  chain.add({ input: {}, output: {} })
  trees.push(chain.sign())
  const [one, two, three, four, five] = trees.map(linesOf) as [string[], string[], string[], string[], string[]]
  const whole = [...one, ...two, ...three, ...four, ...five]
  const log = (name: string, lines: readonly string[], ...faults: FaultCode[]): LogVector => ({
    name,
    segments: { 'receipts-0.jsonl': ofLines(lines) },
    faults,
    anchor: null,
  })
  const swapped = [three[1], three[0], ...three.slice(2)] as string[]
  const strange = testChain(first.privateKey, 'eu-2/01990000-0000-7000-8000-000000000001')
  strange.add({ input: {} })
  const foreign = linesOf(strange.sign())
  const forged = testChain(stranger.privateKey)
  for (let index = 0; index < 3; index++) forged.add({ input: { index }, output: { index: 7 } })
  const forgedOne = linesOf(forged.sign())
  return [
    log('five checkpoints, a gap and a rotation', whole),
    {
      ...log('two segments', []),
      segments: {
        'receipts-0.jsonl': ofLines([...one, ...two]),
        'receipts-2.jsonl': ofLines([...three, ...four, ...five]),
      },
    },
    { ...log('eleven segments are in the order of their numbers', []), segments: longLog() },
    {
      ...log('old segments were removed', []),
      segments: { 'receipts-2.jsonl': ofLines([...three, ...four, ...five]) },
      anchor: 2,
    },
    log('the tail is cut at a checkpoint, which only a witness notices', [...one, ...two]),
    log('the tail is cut inside a tree', whole.slice(0, -1), 'unsigned'),
    log('the tail is cut inside two trees', [...one, ...two, ...three.slice(0, 2)], 'unsigned'),
    log('no lines', [], 'unsigned'),
    log('only entries', one.slice(0, -1), 'unsigned'),
    log('a removed entry', [...one.slice(1), ...two], 'root'),
    log(
      'a removed entry in the middle',
      [...one, ...two, ...three.slice(0, 1), ...three.slice(2), ...four, ...five],
      'position',
      'root',
    ),
    log(
      'two swapped entries',
      [...one, ...two, ...swapped, ...four, ...five],
      'position',
      'position',
      'position',
      'time',
      'root',
    ),
    log('an entry twice', [...one, ...two, ...three.slice(0, 1), ...three, ...four, ...five], 'position', 'root'),
    log(
      'an entry with another code',
      whole.map((line, index) => (index === 0 ? changed(line, 'ADULT', 'MINOR') : line)),
      'root',
    ),
    { ...log('a removed checkpoint', [...one.slice(0, -1), ...two], 'root'), anchor: 1 },
    log('a removed tree', [...one, ...three, ...four, ...five], 'position', 'order'),
    log('a tree twice', [...one, ...one, ...two], 'position', 'time', 'order'),
    {
      ...log(
        'swapped trees',
        [...two, ...one, ...three, ...four, ...five],
        'position',
        'time',
        'time',
        'order',
        'position',
        'order',
      ),
      anchor: 1,
    },
    log('a removed gap', [...one, ...two, ...three, ...five], 'position', 'order'),
    log(
      'a gap of another size',
      whole.map((line) => line.replace('"lost":12', '"lost":1')),
      'root',
    ),
    log(
      'a tree of another instance',
      [...one, ...foreign],
      'position',
      'instance',
      'time',
      'instance',
      'time',
      'order',
    ),
    log('a history of another key', [...forgedOne, ...two], 'unknown-key', 'order'),
    log(
      'a checkpoint with another signature',
      whole.map((line) => line.replace(trees[1]?.signature ?? '', trees[0]?.signature ?? '')),
      'signature',
    ),
    log('a line that is no JSON', [...one, 'x', ...two, ...three, ...four, ...five], 'malformed'),
    log('an empty line', [...one, '', ...two, ...three, ...four, ...five], 'malformed'),
    log(
      'a checkpoint line with an unknown member',
      [...one.slice(0, -1), `${(one.at(-1) ?? '').slice(0, -1)},"note":1}`],
      'malformed',
      'unsigned',
    ),
    log(
      'a checkpoint line with a member twice',
      [...one.slice(0, -1), `${(one.at(-1) ?? '').slice(0, -1)},"signature":""}`],
      'malformed',
      'unsigned',
    ),
    log(
      'a checkpoint without a signature',
      [...one.slice(0, -1), JSON.stringify({ checkpoint: trees[0]?.checkpoint })],
      'malformed',
      'unsigned',
    ),
    log('a checkpoint without entries', [...one, ...two, two.at(-1) ?? ''], 'order', 'root'),
    {
      ...log('a removed segment', []),
      segments: { 'receipts-0.jsonl': ofLines(one), 'receipts-2.jsonl': ofLines(three) },
      faults: ['position', 'order'],
    },
  ]
}

const ofLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

function longLog(): Readonly<Record<string, string>> {
  const chain = testChain(first.privateKey)
  const segments = Array.from({ length: 11 }, (_, index) => {
    chain.add({ input: { index } })
    return [`receipts-${index}.jsonl`, ofLines(linesOf(chain.sign()))] as const
  })
  // In the order of a directory, which is that of the texts.
  return Object.fromEntries(segments.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
