import { expect, test } from 'vitest'
import type { OrgId } from '../../database/org-id.ts'
import { createEngineAddresses } from '../engines/addresses.ts'
import { createEngineConnections } from '../engines/connections.ts'
import { createForwarder } from './forwarder.ts'

/** Sends a request to an engine as if it had proved its identity. */
async function asked(origin: string, allow: readonly string[], peer: string | null, addresses: readonly string[]) {
  const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const connections = createEngineConnections(createEngineAddresses(allow, resolve), resolve)
  const forwarder = createForwarder(connections, { require: () => undefined, doubt: () => undefined })
  const engine = { id: 'e', name: 'e', org: 'o' as OrgId, generation: 1, origin, peer, registeredAt: new Date(0) }
  const { signal } = new AbortController()
  try {
    await forwarder.send({
      engine,
      url: new URL(origin),
      method: 'GET',
      headers: {},
      body: undefined,
      signal,
      limitMs: undefined,
    })
  } finally {
    await connections.close()
  }
}

test.each([
  'http://169.254.169.254',
  'http://100.100.100.200',
  'http://[fd00:ec2::254]',
  'http://[64:ff9b::a9fe:a9fe]',
  'http://[fe80::1]:8080',
])('an engine that says to be at %s is not asked, whatever is allowed', async (origin) => {
  await expect(asked(origin, ['0.0.0.0/0', '[::]/0', 'peer'], '169.254.169.254', [])).rejects.toThrow('never called')
})

test.each<[origin: string, allow: readonly string[], peer: string | null, addresses: readonly string[]]>([
  ['http://10.0.0.9:8080', ['peer'], '10.0.0.5', []],
  ['http://127.0.0.1:8080', ['peer'], '10.0.0.5', []],
  ['http://[::1]:8080', ['peer'], null, []],
  ['http://8.8.8.8', ['peer'], null, []],
  ['http://10.0.0.5:9090', ['10.0.0.0/8:8080'], null, []],
  ['http://engine:8080', ['peer'], '10.0.0.5', ['10.0.0.9']],
  // one address of several is enough
  ['http://engine:8080', ['peer'], '10.0.0.5', ['10.0.0.5', '10.0.0.9']],
  ['http://engine:8080', ['10.0.0.0/8'], null, ['127.0.0.1']],
  ['http://engine:8080', ['other', '*.engine'], null, ['10.0.0.5']],
])('an engine at %s, where %j is allowed, of the peer %s and at %j, is not asked', async (...row) => {
  await expect(asked(...row)).rejects.toThrow('--engine-allow')
})

test.each<[origin: string, allow: readonly string[], peer: string | null, addresses: readonly string[]]>([
  ['http://127.0.0.1:1', ['peer'], '127.0.0.1', []],
  ['http://127.0.0.1:1', ['peer'], '::1', []],
  ['http://localhost:1', ['peer'], '127.0.0.1', ['127.0.0.1', '::1']],
  ['http://127.0.0.1:1', ['10.0.0.0/8', '127.0.0.0/8:1'], null, []],
  ['http://engine:1', ['engine'], null, ['127.0.0.1']],
  ['http://engine:1', ['peer'], '::ffff:127.0.0.1', ['127.0.0.1']],
])('an engine at %s, where %j is allowed, of the peer %s and at %j, is connected to', async (...row) => {
  await expect(asked(...row)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
})
