import { createJetStreamBroker, type JetStreamOptions } from '../../apps/engine-server/src/sync/jetstream.ts'
import type { Broker } from '../../apps/engine-server/src/sync/broker.ts'

/** A client of a broker, by default a writer without credentials; not connected yet. */
export function brokerAt(options: Partial<JetStreamOptions> & Pick<JetStreamOptions, 'address'>): Broker {
  return createJetStreamBroker({
    identity: { credentials: undefined, nkey: undefined, certificate: undefined },
    tlsFirst: false,
    domain: undefined,
    prefix: 'engine.rules',
    instanceId: 'w',
    isRandomId: false,
    replicas: 1,
    makes: true,
    ...options,
  })
}
