import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTls, validityFault } from './tls-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'http-server-tls-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function file(name: string, text?: string): string {
  const path = join(directory, name)
  if (text !== undefined) writeFileSync(path, text)
  return path
}

const tls = (cert: string, key: string) => readTls('http', file(cert), file(key))

const REQUEST = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'

describe('TLS', () => {
  beforeAll(() => {
    for (const name of ['a', 'b'])
      execFileSync('openssl', `${REQUEST} -keyout ${file(`${name}.key`)} -out ${file(`${name}.pem`)}`.split(' '), {
        stdio: 'ignore',
      })
    file('nothing', 'nothing')
  })

  test('is off without the options', async () => {
    expect(await readTls('http', undefined, undefined)).toBeUndefined()
    await expect(readTls('grpc', file('absent'), file('a.key'))).rejects.toThrow('--grpc-tls-cert: cannot use')
  })

  test('takes a certificate and its key', async () => {
    const files = await tls('a.pem', 'a.key')
    expect(files?.cert).toContain('BEGIN CERTIFICATE')
    expect(files?.key).toContain('PRIVATE KEY')
  })

  test('is refused by clients before and after the time of its certificate', async () => {
    const files = await tls('a.pem', 'a.key')
    if (files === undefined) throw new Error('there is a certificate')
    const day = 24 * 3600 * 1000
    expect(validityFault(files, Date.now() + day)).toBeUndefined()
    expect(validityFault(files, Date.now() + 3 * day)).toMatch(/^it expired at \d{4}-\d\d-\d\dT/)
    expect(validityFault(files, Date.now() - day)).toMatch(/^it is valid from \d{4}-\d\d-\d\dT/)
  })

  test.each([
    ['absent', 'a.key', '--http-tls-cert: cannot use `DIR/absent`: no such file or directory'],
    ['a.pem', 'absent', '--http-tls-key: cannot use `DIR/absent`: no such file or directory'],
    ['nothing', 'a.key', '--http-tls-cert: `DIR/nothing` is not a certificate in PEM'],
    ['a.pem', 'nothing', '--http-tls-key: `DIR/nothing` is not a private key in PEM without a pass phrase'],
    ['a.pem', 'b.key', '--http-tls-key: `DIR/b.key` is not the key of the certificate `DIR/a.pem`'],
    ['', 'a.key', '--http-tls-cert: cannot use `DIR`: it is a directory'],
  ])('with certificate %j and key %j: %s', async (cert, key, message) => {
    await expect(tls(cert, key)).rejects.toThrow(
      expect.objectContaining({ name: 'StartError', message: message.replaceAll('DIR', directory) }),
    )
  })
})
