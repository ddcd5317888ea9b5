import {
  type InfiniteData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Answer, call, type PathOf, type Sent } from './client.ts'
import { ApiError } from './errors.ts'

/** Error responses are final; requests that failed to reach the platform are retried. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
})

/** The query key of a path's response; `[path]` matches all its responses. */
export const keyOf = (path: string, sent?: unknown) => (sent === undefined ? [path] : [path, sent])

/** The response to a GET request. */
export function useGet<P extends PathOf<'get'>>(
  path: P,
  sent: Sent<P, 'get'>,
  options: {
    readonly enabled?: boolean
    readonly refetchInterval?: number
    /** Fetch again when the page is rendered, unless the last response is at most this many milliseconds old. */
    readonly oldAfter?: number
  } = {},
) {
  const { oldAfter, ...rest } = options
  return useQuery<Answer<P, 'get'>, ApiError>({
    queryKey: keyOf(path, sent),
    queryFn: ({ signal }) => call('get', path, sent, signal),
    ...(oldAfter !== undefined && {
      refetchOnMount: ({ state }) => (Date.now() - state.dataUpdatedAt < oldAfter ? false : 'always'),
    }),
    ...rest,
  })
}

/** Fetch data for a part of the page before it is rendered. */
export function prefetch<P extends PathOf<'get'>>(path: P, sent: Sent<P, 'get'>): void {
  void queryClient.prefetchQuery({
    queryKey: keyOf(path, sent),
    queryFn: ({ signal }) => call('get', path, sent, signal),
    retry: false,
  })
}

interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next_cursor: string | null
}
type ItemOf<A> = A extends { items: (infer Item)[] } ? Item : never

/** The items of a list, loaded page by page. */
export function useList<P extends PathOf<'get'>>(
  path: P,
  sent: Sent<P, 'get'>,
  options: { readonly enabled?: boolean; readonly refetchInterval?: number } = {},
) {
  type Item = ItemOf<Answer<P, 'get'>>
  const { query, ...rest } = sent as { query?: object }
  const found = useInfiniteQuery<
    ListPage<Item>,
    ApiError,
    InfiniteData<ListPage<Item>>,
    readonly unknown[],
    string | null
  >({
    queryKey: keyOf(path, { ...rest, query, list: true }),
    queryFn: async ({ signal, pageParam }) => {
      const paged = { ...rest, query: { limit: 100, ...query, ...(pageParam !== null && { cursor: pageParam }) } }
      return (await call('get', path, paged as Sent<P, 'get'>, signal)) as unknown as ListPage<Item>
    },
    initialPageParam: null,
    getNextPageParam: ({ next_cursor: next }) => next,
    ...options,
  })
  const { data } = found
  // Equal responses share one array, so that derived values are not recomputed at each render.
  const items = useMemo(() => data?.pages.flatMap((page) => page.items), [data])
  return { ...found, items }
}

/** The result of `useList`. */
export type ListOf<Item> = Pick<
  ReturnType<typeof useList<'/api/v1/orgs'>>,
  'error' | 'hasNextPage' | 'isFetchingNextPage'
> & {
  readonly items: readonly Item[] | undefined
  readonly refetch: () => unknown
  readonly fetchNextPage: () => unknown
}

/** A mutation that invalidates the responses of the named paths. */
export function useSend<M extends 'post' | 'put' | 'delete', P extends PathOf<M>>(
  method: M,
  path: P,
  ends: readonly PathOf<'get'>[],
) {
  const client = useQueryClient()
  return useMutation<Answer<P, M>, ApiError, Sent<P, M>>({
    mutationFn: (sent) => call(method, path, sent),
    onSuccess: async () => {
      await Promise.all(ends.map((one) => client.invalidateQueries({ queryKey: keyOf(one) })))
    },
  })
}
