import { OpenFeature } from '@openfeature/server-sdk'
import { OFREPProvider } from '@openfeature/ofrep-provider'

// Prints `<flag> <value> <error code>` a line.
const baseUrl = process.env.ENGINE_URL
await OpenFeature.setProviderAndWait(
  new OFREPProvider({ baseUrl, headers: [['authorization', `Bearer ${process.env.ENGINE_TOKEN}`]] }),
)
const client = OpenFeature.getClient()
const context = { targetingKey: 'ada', tier: 'gold', order: { total: 12.5 } }
const show = (key, { value, errorCode = '' }) => console.log(`${key} ${JSON.stringify(value)} ${errorCode}`.trim())
for (const key of process.env.BOOLEANS.split(' ')) show(key, await client.getBooleanDetails(key, false, context))
for (const key of process.env.TEXTS.split(' ')) show(key, await client.getStringDetails(key, 'other', context))
for (const key of process.env.WHOLES.split(' ')) show(key, await client.getNumberDetails(key, -1, context))
for (const key of process.env.FRACTIONS.split(' ')) show(key, await client.getNumberDetails(key, -1, context))
for (const key of process.env.OBJECTS.split(' ')) show(key, await client.getObjectDetails(key, {}, context))
await OpenFeature.close()
