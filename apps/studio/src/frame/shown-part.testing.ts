import { BASE } from '../api/loaded-client.testing.ts'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { keyOf } from '../api/data.ts'

/** The ids in the address of a shown part. */
export const AT = { oid: 'o', pid: 'p' } as const

/** A response that is loaded before: its path, its parameters and its body. */
export type Loaded = readonly [path: string, sent: unknown, body: unknown]

/** The texts of HTML with bars between its elements; pictures have none. */
export const textOfHtml = (html: string): string =>
  html
    .replaceAll(/<svg.*?<\/svg>/gs, '')
    .replaceAll(/<[^>]*>/g, '|')
    .replaceAll(/(?:\s*\|)+\s*/g, ' | ')
    .replaceAll('\u00a0', ' ')

/**
 * A part of a page of a project as HTML, and as text with bars between its elements.
 *
 * @param part a component without properties
 */
export async function shownPart(
  part: () => ReactNode,
  loaded: readonly Loaded[] = [],
): Promise<{ readonly html: string; readonly text: string }> {
  const client = new QueryClient()
  for (const [path, sent, body] of loaded) client.setQueryData(keyOf(path, sent), body)
  const root = createRootRoute()
  const project = createRoute({ getParentRoute: () => root, path: '/o/$org/p/$project', component: part })
  const router = createRouter({
    routeTree: root.addChildren([project]),
    history: createMemoryHistory({ initialEntries: [`/o/${AT.oid}/p/${AT.pid}`] }),
    isServer: true,
    origin: BASE,
  })
  await router.load()
  const page = createElement(RouterProvider, { router })
  const html = renderToStaticMarkup(createElement(QueryClientProvider, { client }, page))
  client.clear()
  return { html, text: textOfHtml(html).trim() }
}
