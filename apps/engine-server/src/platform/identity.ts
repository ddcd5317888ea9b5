import { type IdentityProof, identityProofMessage } from '@engine/api'
import { createHmac } from 'node:crypto'
import { EngineError } from '../errors.ts'

/** A registration at the platform that the engine can prove. */
export interface ProvenRegistration {
  readonly serverId: string
  /** The registered origin; undefined: registered without an address. */
  readonly origin: string | undefined
  readonly proxyToken: string
}

/** Answers the challenges of the platform (docs/platform/engine-link.md). */
export interface Identity {
  /** Proves this registration from then on, instead of earlier ones. */
  follow(registration: ProvenRegistration): void
  /**
   * The proof for a nonce: it always covers the engine's own registration and address, whatever the sender of the nonce
   * assumes. Throws `EngineError` if the engine is not registered.
   */
  prove(nonce: string): IdentityProof
}

export function createIdentity(): Identity {
  let current: ProvenRegistration | undefined
  return {
    follow(registration) {
      current = registration
    },
    prove(nonce) {
      if (current === undefined)
        throw new EngineError('overloaded', 'this engine has not registered at its platform yet', {
          retryAfterSeconds: 1,
        })
      const { serverId, origin, proxyToken } = current
      if (origin === undefined) throw noAddress()
      const message = identityProofMessage({ serverId, origin, nonce })
      return { server_id: serverId, proof: createHmac('sha256', proxyToken).update(message).digest('base64url') }
    },
  }
}

const noAddress = () => new EngineError('conflict', 'this engine is registered without an address')
