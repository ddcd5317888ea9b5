import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JSON_TYPE, startServer, type TestServer } from '../http/server.testing.ts'
import { answering } from '../workers.testing.ts'
import { type ReceiptFolder, receiptFolder } from './server.testing.ts'

/* Hostile requests, keys and directories at the doors of an engine that keeps receipts: each is refused with a reason. */

const RECEIPTS = '/api/v1/receipts'
const EXECUTE = '/api/v1/execute/rule'
const BATCH = `${EXECUTE}/batch`
const UUID = '01990000-0000-7000-8000-000000000000'
const NDJSON = { 'content-type': 'application/x-ndjson' }
const at = (instance: string, entry = '0') => `${RECEIPTS}/${encodeURIComponent(instance)}/${entry}`

describe('requests', () => {
  const folder = receiptFolder('ask', '--receipts-evidence', 'keep')
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(...folder.options)
    const { status, text } = await server.post('/api/v1/rulesets', answering('A'))
    if (status !== 201) throw new Error(text)
  })
  afterAll(() => server.stop())

  test.each<[title: string, method: string, path: string, body: string | undefined, status: number, message: string]>([
    [
      'a receipt that is a text',
      'POST',
      EXECUTE,
      '{"input":{},"receipt":"yes"}',
      400,
      '`/receipt` must be `true` or `false`',
    ],
    [
      'a receipt that is a number',
      'POST',
      EXECUTE,
      '{"input":{},"receipt":1}',
      400,
      '`/receipt` must be `true` or `false`',
    ],
    [
      'a receipt that is a list',
      'POST',
      EXECUTE,
      '{"input":{},"receipt":[]}',
      400,
      '`/receipt` must be `true` or `false`',
    ],
    [
      'a receipt that is an object',
      'POST',
      EXECUTE,
      '{"input":{},"receipt":{}}',
      400,
      '`/receipt` must be `true` or `false`',
    ],
    [
      'a receipt that is the text `true`',
      'POST',
      EXECUTE,
      '{"input":{},"receipt":"true"}',
      400,
      '`/receipt` must be `true` or `false`',
    ],
    [
      'a receipt that is a number beyond 2^53',
      'POST',
      EXECUTE,
      '{"input":{},"receipt":9007199254740993}',
      400,
      '`/receipt` must be `true` or `false`',
    ],
    [
      'a receipt of a batch that is a text',
      'POST',
      BATCH,
      '{"inputs":[{}],"options":{"receipt":"yes"}}',
      400,
      '`/options/receipt` must be `true` or `false`, found the string `yes`',
    ],
    [
      'a receipt of lines that is a word',
      'POST',
      `${BATCH}?receipt=maybe`,
      '{}',
      400,
      'the query parameter `receipt` must be `true` or `false`, found `maybe`',
    ],
    [
      'a receipt of lines that is empty',
      'POST',
      `${BATCH}?receipt=`,
      '{}',
      400,
      'the query parameter `receipt` must be `true` or `false`, found ``',
    ],
    [
      'a receipt of lines twice',
      'POST',
      `${BATCH}?receipt=true&receipt=false`,
      '{}',
      400,
      'the query parameter `receipt` must be given once',
    ],
    [
      'an instance of nothing but dots',
      'GET',
      at('..'),
      undefined,
      404,
      'there is no path `/api/v1/0`; /docs describes the interface',
    ],
    [
      'a path out of the directory',
      'GET',
      at('../../etc/passwd'),
      undefined,
      404,
      'receipt 0 of `../../etc/passwd` not found',
    ],
    ['a path in another system', 'GET', at('..\\..\\x'), undefined, 404, 'receipt 0 of `..\\..\\x` not found'],
    ['an absolute path', 'GET', at('/etc/passwd'), undefined, 404, 'receipt 0 of `/etc/passwd` not found'],
    ['a NUL in the instance', 'GET', at(`eu-1\0/${UUID}`), undefined, 404, 'receipt 0 of `eu-1U+0000/ID` not found'],
    ['another instance', 'GET', at(`eu-2/${UUID}`), undefined, 404, 'receipt 0 of `eu-2/ID` not found'],
    ['an instance without a UUID', 'GET', at('eu-1'), undefined, 404, 'receipt 0 of `eu-1` not found'],
    ['a UUID alone', 'GET', at(UUID), undefined, 404, 'receipt 0 of `ID` not found'],
    ['an instance in capitals', 'GET', at(`EU-1/${UUID}`), undefined, 404, 'receipt 0 of `EU-1/ID` not found'],
    [
      'a line feed in the instance',
      'GET',
      at(`eu-1\n/${UUID}`),
      undefined,
      404,
      'receipt 0 of `eu-1U+000A/ID` not found',
    ],
    [
      'an instance of 10,000 characters',
      'GET',
      at('x'.repeat(10_000)),
      undefined,
      400,
      'the path `/api/v1/receipts/LONG is not a valid URL: check its percent signs and its length',
    ],
    ['a wildcard', 'GET', at(`*/${UUID}`), undefined, 404, 'receipt 0 of `*/ID` not found'],
    ['the name of a stored file', 'GET', at('keys.json'), undefined, 404, 'receipt 0 of `keys.json` not found'],
    ['the folder of contents', 'GET', at('content'), undefined, 404, 'receipt 0 of `content` not found'],
    ['a prototype', 'GET', at('__proto__'), undefined, 404, 'receipt 0 of `__proto__` not found'],
    [
      'a number that is a word',
      'GET',
      at(`eu-1/${UUID}`, 'first'),
      undefined,
      400,
      'the receipt `first` must be a whole number from 0 on',
    ],
    [
      'a negative number',
      'GET',
      at(`eu-1/${UUID}`, '-1'),
      undefined,
      400,
      'the receipt `-1` must be a whole number from 0 on',
    ],
    [
      'a number with a fraction',
      'GET',
      at(`eu-1/${UUID}`, '0.5'),
      undefined,
      400,
      'the receipt `0.5` must be a whole number from 0 on',
    ],
    [
      'a number with an exponent',
      'GET',
      at(`eu-1/${UUID}`, '1e3'),
      undefined,
      400,
      'the receipt `1e3` must be a whole number from 0 on',
    ],
    [
      'a hexadecimal number',
      'GET',
      at(`eu-1/${UUID}`, '0x0'),
      undefined,
      400,
      'the receipt `0x0` must be a whole number from 0 on',
    ],
    [
      'a number beyond 2^53',
      'GET',
      at(`eu-1/${UUID}`, '9007199254740993'),
      undefined,
      400,
      'the receipt `9007199254740993` must be a whole number from 0 on',
    ],
    [
      'a number of 40 digits',
      'GET',
      at(`eu-1/${UUID}`, '1111111111111111111111111111111111111111'),
      undefined,
      400,
      'the receipt `1111111111111111111111111111111111111111` must be a whole number from 0 on',
    ],
    [
      'a number with a space',
      'GET',
      at(`eu-1/${UUID}`, '%200'),
      undefined,
      400,
      'the receipt ` 0` must be a whole number from 0 on',
    ],
    [
      'digits of another script',
      'GET',
      at(`eu-1/${UUID}`, '%D9%A1'),
      undefined,
      400,
      'the receipt `١` must be a whole number from 0 on',
    ],
    [
      'a percent sign that encodes nothing',
      'GET',
      `${RECEIPTS}/%zz/0`,
      undefined,
      400,
      'the path `/api/v1/receipts/%zz/0` is not a valid URL: check its percent signs and its length',
    ],
    [
      'an unknown parameter',
      'GET',
      `${at(`eu-1/${UUID}`)}?evidence=true`,
      undefined,
      400,
      'the query parameter `evidence` is unknown: there are none',
    ],
    [
      'a page of checkpoints',
      'GET',
      `${RECEIPTS}/checkpoint?limit=1`,
      undefined,
      400,
      'the query parameter `limit` is unknown: there are none',
    ],
    [
      'a key by its id',
      'GET',
      `${RECEIPTS}/keys?key=x`,
      undefined,
      400,
      'the query parameter `key` is unknown: there are none',
    ],
    [
      'a new receipt',
      'POST',
      at(`eu-1/${UUID}`),
      '{}',
      405,
      '`/api/v1/receipts/eu-1%2FID/0` answers GET, HEAD, not `POST`',
    ],
    [
      'another receipt',
      'PUT',
      at(`eu-1/${UUID}`),
      '{}',
      405,
      '`/api/v1/receipts/eu-1%2FID/0` answers GET, HEAD, not `PUT`',
    ],
    [
      'an erased receipt',
      'DELETE',
      at(`eu-1/${UUID}`),
      undefined,
      405,
      '`/api/v1/receipts/eu-1%2FID/0` answers GET, HEAD, not `DELETE`',
    ],
    [
      'erased evidence of another instance',
      'DELETE',
      `${at(`eu-2/${UUID}`)}/evidence`,
      undefined,
      404,
      'receipt 0 of `eu-2/ID` not found',
    ],
    [
      'erased evidence out of the directory',
      'DELETE',
      `${at(`../../etc`)}/evidence`,
      undefined,
      404,
      'receipt 0 of `../../etc` not found',
    ],
    [
      'erased keys',
      'DELETE',
      `${RECEIPTS}/keys`,
      undefined,
      405,
      '`/api/v1/receipts/keys` answers GET, HEAD, not `DELETE`',
    ],
  ])('%s', async (_, method, path, body, status, message) => {
    const isLines = path.includes('receipt=')
    const sent = body === undefined ? {} : { body, headers: isLines ? NDJSON : JSON_TYPE }
    const answer = await server.request(method, path, sent)
    expect(answer.body.error.replaceAll(UUID, 'ID').replace(/x{50,}…`/, 'LONG')).toBe(message)
    expect(answer.status).toBe(status)
    expect(answer.text.length).toBeLessThan(1000)
  })
})

describe('starts', () => {
  const pem = (pair: { readonly privateKey: KeyObject }) => pair.privateKey.export({ format: 'pem', type: 'pkcs8' })
  const key = (text: string | Buffer) => (folder: ReceiptFolder) => writeFileSync(folder.keyFile, text)
  const made = (place: (folder: ReceiptFolder) => string, text: string) => (folder: ReceiptFolder) => {
    mkdirSync(folder.directory, { recursive: true })
    writeFileSync(place(folder), text)
  }

  test.each<[title: string, spoil: (folder: ReceiptFolder) => void, options: readonly string[], message: string]>([
    ['a key file that is empty', key(''), [], '--receipts-key: `FOLDER/private.key`: the private key is not base64'],
    [
      'a key file that is a folder',
      ({ folder }) => mkdirSync(join(folder, 'sub')),
      ['--receipts-key', 'SUB'],
      '--receipts-key: cannot use `FOLDER/sub`: it is a directory',
    ],
    [
      'a key file that is not there',
      () => undefined,
      ['--receipts-key', '/nonexistent/private.key'],
      '--receipts-key: cannot use `/nonexistent/private.key`: no such file or directory',
    ],
    ['a key that is a word', key('secret'), [], '--receipts-key: `FOLDER/private.key`: the private key is not base64'],
    [
      'a key of 31 bytes',
      key(Buffer.alloc(31, 1).toString('base64')),
      [],
      '--receipts-key: `FOLDER/private.key`: the private key is 31 bytes long instead of 32',
    ],
    [
      'a key of 33 bytes',
      key(Buffer.alloc(33, 1).toString('base64')),
      [],
      '--receipts-key: `FOLDER/private.key`: the private key is 33 bytes long instead of 32',
    ],
    [
      'a key in hexadecimal',
      key('ab'.repeat(32)),
      [],
      '--receipts-key: `FOLDER/private.key`: the private key is 48 bytes long instead of 32',
    ],
    [
      'two keys',
      key(`${Buffer.alloc(32, 1).toString('base64')}\n${Buffer.alloc(32, 2).toString('base64')}\n`),
      [],
      '--receipts-key: `FOLDER/private.key`: the private key is not base64',
    ],
    [
      'a key as PEM',
      key(pem(generateKeyPairSync('ed25519'))),
      [],
      '--receipts-key: `FOLDER/private.key`: the private key is not base64',
    ],
    [
      'a key of another curve',
      key(pem(generateKeyPairSync('x25519'))),
      [],
      '--receipts-key: `FOLDER/private.key`: the private key is not base64',
    ],
    [
      'a key that is not text',
      key(Buffer.from([0xff, 0xfe, 0, 1])),
      [],
      '--receipts-key: `FOLDER/private.key`: the private key is not base64',
    ],
    [
      'a key of a megabyte',
      key('A'.repeat(1024 * 1024)),
      [],
      '--receipts-key: `FOLDER/private.key`: the private key is 786432 bytes long instead of 32',
    ],
    [
      'a directory that is a file',
      ({ directory }) => writeFileSync(directory, ''),
      [],
      '--receipts-dir: cannot use `FOLDER/receipts`: it is not a directory',
    ],
    [
      'a directory below a file',
      ({ folder }) => writeFileSync(join(folder, 'f'), ''),
      ['--receipts-dir', 'FILE/x'],
      '--receipts-dir: cannot use `FOLDER/f/x`: it is not a directory',
    ],
    [
      'a list of keys that is no JSON',
      made(({ directory }) => join(directory, 'keys.json'), '{'),
      [],
      '--receipts-dir: `FOLDER/receipts/keys.json` is not a list of keys: the keys are not valid JSON: expected a key in double quotes, found the end of the text (line 1, column 2). Restore it, or remove it to begin a new list',
    ],
    [
      'a list of keys of another form',
      made(({ directory }) => join(directory, 'keys.json'), '{"keys":{}}'),
      [],
      '--receipts-dir: `FOLDER/receipts/keys.json` is not a list of keys: the keys must be an object such as {"keys": [{"public_key": "…"}]}. Restore it, or remove it to begin a new list',
    ],
    [
      'a list of keys with a word',
      made(({ directory }) => join(directory, 'keys.json'), '{"keys":["x"]}'),
      [],
      '--receipts-dir: `FOLDER/receipts/keys.json` is not a list of keys: each key must be an object such as {"public_key": "…"}. Restore it, or remove it to begin a new list',
    ],
    [
      'a list of keys with a private key',
      made(({ directory }) => join(directory, 'keys.json'), '{"keys":[{"private_key":"x"}]}'),
      [],
      '--receipts-dir: `FOLDER/receipts/keys.json` is not a list of keys: the key has no `public_key`. Restore it, or remove it to begin a new list',
    ],
    [
      'a list of keys that is one key',
      made(({ directory }) => join(directory, 'keys.json'), Buffer.alloc(32, 7).toString('base64')),
      [],
      '--receipts-dir: `FOLDER/receipts/keys.json` is one key, and no list',
    ],
    [
      'a list of keys with a member twice',
      made(({ directory }) => join(directory, 'keys.json'), '{"keys":[],"keys":[]}'),
      [],
      '--receipts-dir: `FOLDER/receipts/keys.json` is not a list of keys: the keys are not valid JSON: the key `keys` occurs twice in one object (line 1, column 12). Restore it, or remove it to begin a new list',
    ],
    [
      'an instance id with a slash',
      () => undefined,
      ['--instance-id', 'eu/1'],
      '--instance-id: `eu/1` is not 1 to 64 letters, digits, `_` or `-`',
    ],
    [
      'an instance id out of the directory',
      () => undefined,
      ['--instance-id', '..'],
      '--instance-id: `..` is not 1 to 64 letters, digits, `_` or `-`',
    ],
    [
      'an instance id of 300 characters',
      () => undefined,
      ['--instance-id', 'x'.repeat(300)],
      '--instance-id: `LONG…` is not 1 to 64 letters, digits, `_` or `-`',
    ],
    [
      'an interval of nothing',
      () => undefined,
      ['--receipts-interval-ms', '0'],
      '--receipts-interval-ms: `0` is not a whole number from 1 to 60000',
    ],
    [
      'a retention below zero',
      () => undefined,
      ['--receipts-retain-days', '-1'],
      '--receipts-retain-days: `-1` is not a whole number from 1 to 36500',
    ],
    [
      'an unknown mode',
      () => undefined,
      ['--receipts', 'some'],
      '--receipts: `some` is not one of `off`, `ask`, `all`',
    ],
    [
      'an unknown policy of a full disk',
      () => undefined,
      ['--receipts-on-failure', 'ignore'],
      '--receipts-on-failure: `ignore` is not one of `refuse`, `continue`',
    ],
    [
      'a hook that is no URL',
      () => undefined,
      ['--receipts-hook', 'witness'],
      '--receipts-hook: `witness` is not a URL such as `http://127.0.0.1:4318`',
    ],
    [
      'a hook with another scheme',
      () => undefined,
      ['--receipts-hook', 'file:///etc/passwd'],
      '--receipts-hook: `file:///etc/passwd` is not a URL such as `http://127.0.0.1:4318`',
    ],
  ])('%s', async (_, spoil, options, message) => {
    const folder = receiptFolder('ask')
    spoil(folder)
    const given = options.map((option) =>
      option.replace('SUB', join(folder.folder, 'sub')).replace('FILE', join(folder.folder, 'f')),
    )
    const started = await startServer(...folder.options, ...given).catch((error: Error) => error)
    if (!(started instanceof Error)) await started.stop()
    const refused = started instanceof Error ? started.message : 'started'
    const [first = ''] = refused
      .replaceAll(folder.folder, 'FOLDER')
      .replace(/x{30,}…/, 'LONG…')
      .split('\n')
    expect(first.replace(/^error: option /, '')).toBe(message)
  })
})
