import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/components.css'
import './styles/notices.css'
import './styles/phone.css'
import './styles/print.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/data.ts'
import { router } from './routes.tsx'
import { TextsProvider } from './texts/texts.tsx'

const place = document.getElementById('root')
if (place === null) throw new Error('the page has no place for the studio')
createRoot(place).render(
  <StrictMode>
    <TextsProvider>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </TextsProvider>
  </StrictMode>,
)
