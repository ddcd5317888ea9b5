import { freePort, type Nats, startNats } from './nats.testing.ts'

/** Three real NATS servers on loopback that are one cluster. */
export interface NatsCluster {
  readonly servers: readonly Nats[]
  /** All three addresses, as `--broker-url` takes them. */
  readonly url: string
  close(): Promise<void>
}

/** Start three servers with routes to each other. Resolves when all accept connections; a leader may come later. */
export async function startNatsCluster(): Promise<NatsCluster> {
  const routes = [await freePort(), await freePort(), await freePort()]
  const names = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(', ')
  const servers = await Promise.all(
    routes.map((port, index) =>
      startNats({
        // Clients know no address but those that they were given: there may be proxies in between.
        config: `server_name: n${index}
lame_duck_duration: "30s"
cluster { name: c, listen: "127.0.0.1:${port}", routes: [${names}], no_advertise: true }`,
      }),
    ),
  )
  return {
    servers,
    url: servers.map(({ url }) => url).join(','),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}
