export { ConversationsPage } from "./ConversationsPage";
