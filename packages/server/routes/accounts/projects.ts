import {
  createProject,
  createProjectBody,
  deleteProject,
  editProject,
  editProjectBody,
  fetchProject,
  listProjects,
  projectJson,
} from '@spanhouse/access'
import { uuid, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const tag = 'projects'
const params = z.object({ project_id: uuid })
/** Permissions that only admins and owners have. */
const permission = 'edit_workspace'

/**
 * The projects that the caller is a member of. A key belongs to one of them, but can read and change the names of the
 * others.
 */
export function projectRoutes({ postgres: { db }, authenticator, seeds }: Parts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path: '/projects',
      tag,
      answer: z.array(projectJson),
      summary: 'Lists the projects that you are a member of.',
      handle: async ({ principal, reply }) => {
        const projects = await listProjects(db, principal)
        if (projects.length > 0) return projects
        const message = 'You are not a member of any project.'
        // The interface has the message at the top here; all other errors have it in `detail`.
        return reply.code(404).send({ message, detail: { message } })
      },
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/projects/current',
      tag,
      answer: projectJson,
      summary: 'Returns the project that the credential belongs to.',
      handle: ({ principal }) => fetchProject(db, principal.user_id, principal.project_id),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/projects/:project_id',
      tag,
      params,
      answer: projectJson,
      summary: 'Returns a project.',
      handle: ({ principal, params }) => fetchProject(db, principal.user_id, params.project_id),
    })
    addEndpoint(app, {
      method: 'POST',
      path: '/projects',
      tag,
      permission,
      body: createProjectBody,
      answer: projectJson,
      status: 201,
      summary: "Creates a project in your workspace; the workspace's members become its members.",
      handle: ({ principal, body }) => createProject(db, principal, { body, seeds: seeds.project }),
    })
    addEndpoint(app, {
      method: 'PATCH',
      path: '/projects/:project_id',
      tag,
      permission,
      params,
      body: editProjectBody,
      answer: projectJson,
      summary: "Renames a project, or makes it the workspace's default.",
      handle: ({ principal, params, body }) => editProject(db, principal, { ...params, body }),
    })
    addEndpoint(app, {
      method: 'DELETE',
      path: '/projects/:project_id',
      tag,
      permission,
      params,
      answer: z.object({ detail: z.string() }),
      summary: 'Deletes a project with everything in it.',
      handle: ({ principal, params }) => deleteProject(db, authenticator, { principal, ...params }),
    })
  }
}
