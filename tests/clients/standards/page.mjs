import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk'
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider'

// Called by the check in a page of a browser.
globalThis.openFlags = async (baseUrl, token) => {
  await OpenFeature.setContext({ targetingKey: 'ada', tier: 'gold', order: { total: 12.5 } })
  const headers = [['authorization', `Bearer ${token}`]]
  await OpenFeature.setProviderAndWait(new OFREPWebProvider({ baseUrl, headers, pollInterval: 200 }))
  globalThis.changes = 0
  OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, () => globalThis.changes++)
}
globalThis.flag = (key, initial) => {
  const client = OpenFeature.getClient()
  const kinds = { boolean: 'Boolean', string: 'String', number: 'Number', object: 'Object' }
  const { value, errorCode } = client[`get${kinds[typeof initial]}Details`](key, initial)
  return errorCode === undefined ? value : errorCode
}
globalThis.become = (context) => OpenFeature.setContext(context)
