/** The global object, with the address of the page, which `client.ts` reads when it is loaded. */
const page = globalThis as unknown as { document?: { readonly baseURI: string } }
const before = page.document
page.document = { baseURI: 'http://studio.test/' }
/** A test that imports this module before others can import modules that call the platform. */
export const { BASE } = await import('./client.ts')
if (before === undefined) delete page.document
else page.document = before
