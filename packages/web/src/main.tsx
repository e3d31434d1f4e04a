import './tokens.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { takeKeyFromAddress } from './api/key.ts'
import { queryClient } from './api/query-client.ts'
import { applyTheme } from './frame/theme.ts'
import { router } from './router.tsx'

takeKeyFromAddress()
// A printed link with a new key may be opened in a tab that shows the page already.
addEventListener('hashchange', takeKeyFromAddress)
applyTheme()
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
