export { MapPage } from "./MapPage";
