import App from './App.vue'; // «App»
import Card from './UserCard.vue'; // «UserCard»
createApp(App).component('card', Card); // «App UserCard»
