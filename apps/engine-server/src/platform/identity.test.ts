import { createHmac } from 'node:crypto'
import { identityProofMessage } from '@engine/api'
import { expect, test } from 'vitest'
import { createIdentity } from './identity.ts'

const REGISTRATION = { serverId: 's', origin: 'http://engine:8080', proxyToken: 'secret' }

test('an engine proves its own registration, the last one, for the nonce of the platform', () => {
  const identity = createIdentity()
  expect(() => identity.prove('n')).toThrow('this engine has not registered at its platform yet')
  identity.follow({ ...REGISTRATION, proxyToken: 'earlier' })
  identity.follow(REGISTRATION)
  const message = identityProofMessage({ serverId: 's', origin: 'http://engine:8080', nonce: 'n' })
  const proof = createHmac('sha256', 'secret').update(message).digest('base64url')
  expect(identity.prove('n')).toEqual({ server_id: 's', proof })
  expect(identity.prove('other').proof).not.toBe(proof)
  identity.follow({ ...REGISTRATION, origin: 'http://elsewhere:8080' })
  expect(identity.prove('n').proof).not.toBe(proof)
  identity.follow({ ...REGISTRATION, origin: undefined })
  expect(() => identity.prove('n')).toThrow('this engine is registered without an address')
})
